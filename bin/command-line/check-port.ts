import { createServer } from 'node:net';
import { listen } from '../../lib/emulator/listen.ts';
import { messageOf } from './lifecycle.ts';

/** Rejects if a port is taken. Call it before anything slow begins. */
export async function checkPort(option: string, wanted: number, host: string): Promise<void> {
  const server = createServer();
  try {
    await listen(server, wanted, host);
  } catch (error) {
    throw new Error(`${messageOf(error)} Choose another with ${option}.`, { cause: error });
  }
  await new Promise((resolve) => server.close(resolve));
}
