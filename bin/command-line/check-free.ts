import { createServer } from 'node:net';
import { listen } from '../../lib/emulator/listen.ts';
import { findRunning } from '../administration/running.ts';
import { messageOf } from './lifecycle.ts';
import type { LocalOptions } from './local-options.ts';

/**
 * Rejects with one message if another `npm start` uses the data folder, or another program the
 * ports. Call it before anything slow begins.
 */
export async function checkFree(options: LocalOptions, dynamodbHost: string): Promise<void> {
  const { port, dynamodbPort, data, memory } = options;
  const running = memory ? undefined : findRunning(data);
  if (running)
    throw new Error(
      `An "npm start" with ${data} runs already, at ${running.baseUrl}. Use that one, or end it ` +
        `with "kill ${running.processId}", or start another beside it with ` +
        '"npm start -- --memory --port 0 --dynamodb-port 0".',
    );
  const faults = [
    await faultOf('--port', port, '127.0.0.1'),
    await faultOf('--dynamodb-port', dynamodbPort, dynamodbHost),
  ].filter((fault) => fault !== undefined);
  if (faults.length > 0) throw new Error(faults.join(' '));
}

async function faultOf(option: string, port: number, host: string): Promise<string | undefined> {
  const server = createServer();
  try {
    await listen(server, port, host);
  } catch (error) {
    return `${messageOf(error)} Choose another with ${option}.`;
  }
  await new Promise((resolve) => server.close(resolve));
  return undefined;
}
