import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { environment } from '../../../functions/shared/environment-variables.ts';
import { issueDemoToken } from '../demo-token.ts';
import { listen } from '../listen.ts';
import { openDatabase } from '../open-database.ts';
import type { LocalOptions } from '../options.ts';
import { printReady } from '../ready.ts';
import { removeContainers, requireDocker } from './docker.ts';
import { functionsRespond, requireSamCli, startSamCli, waitUntilListening } from './sam-cli.ts';
import { synthesize } from './synthesize.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** Starts the plant store in SAM CLI. Rejects with one line for people. */
export async function startSam(options: LocalOptions, args: string[]): Promise<void> {
  const [docker] = await Promise.all([requireDocker(), requireSamCli()]);
  const port = await requireFreePort(options.port);
  const { endpoint, createTables } = await openDatabase(options, docker.address);
  await createTables();
  console.error('Synthesizing the stack …');
  const folder = join(root, 'cdk.out', 'sam');
  const template = await synthesize(folder, docker.architecture);
  const { port: databasePort } = new URL(endpoint);
  const variables = join(folder, 'env-vars.json');
  const endpointInDocker = `http://${docker.hostname}:${databasePort}`;
  // SAM CLI passes only variables that the template declares.
  const Parameters = { [environment.dynamodbEndpoint]: endpointInDocker };
  writeFileSync(variables, JSON.stringify({ Parameters }));

  const settings = ['--template', template, '--port', `${port}`, '--env-vars', variables];
  // EAGER sometimes loses a container.
  const allArgs = [...settings, '--warm-containers', 'LAZY', ...args];
  // A signal while a container starts makes SAM CLI leave it behind.
  const sam = startSamCli(allArgs, () => removeContainers(endpointInDocker));
  await waitUntilListening(sam);
  const baseUrl = `http://127.0.0.1:${port}`;
  const token = await issueDemoToken(endpoint, 'npm run sam');
  if (await functionsRespond(sam, baseUrl, token)) {
    const ready = { baseUrl, token, dynamodbEndpoint: endpoint };
    const log = 'SAM CLI prints several lines per request.';
    printReady(ready, options, `${log} Changes need a restart.`);
  }
}

/** Returns a port, or any free one for 0. Rejects with one line for people if it is taken. */
async function requireFreePort(port: number): Promise<number> {
  const server = createServer();
  const origin = await listen(server, port);
  server.close();
  return Number(new URL(origin).port);
}
