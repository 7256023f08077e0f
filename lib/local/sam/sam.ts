import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment } from '../../../functions/shared/environment-variables.ts';
import { issueDemoToken } from '../demo-token.ts';
import { openDatabase } from '../open-database.ts';
import type { LocalOptions } from '../options.ts';
import { printReady } from '../ready.ts';
import { findDocker } from './docker.ts';
import { findSamCli, startSamCli, waitForResponse, waitForUrl } from './sam-cli.ts';
import { synthesize } from './synthesize.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** Starts the plant store in SAM CLI. Rejects with one line for people. */
export async function startSam(options: LocalOptions, args: string[]): Promise<void> {
  const [docker] = await Promise.all([findDocker(), findSamCli()]);
  const { endpoint } = await openDatabase(options, docker.address);
  console.error('Synthesizing the stack …');
  const folder = join(root, 'cdk.out', 'sam');
  const template = await synthesize(folder, docker.architecture);
  const { port: databasePort } = new URL(endpoint);
  const variables = join(folder, 'env-vars.json');
  const endpointInDocker = `http://${docker.hostname}:${databasePort}`;
  // SAM CLI passes only variables that the template declares.
  const Parameters = { [environment.dynamodbEndpoint]: endpointInDocker };
  writeFileSync(variables, JSON.stringify({ Parameters }));

  const port = `${options.port}`;
  const settings = ['--template', template, '--port', port, '--env-vars', variables];
  // EAGER sometimes loses a container.
  const sam = startSamCli([...settings, '--warm-containers', 'LAZY', ...args]);
  const baseUrl = await waitForUrl(sam);
  const token = await issueDemoToken(endpoint, 'npm run sam');
  try {
    await waitForResponse(baseUrl, token);
  } catch (error) {
    // SAM CLI also closes the connection when this process stops it.
    if (!sam.killed) {
      // Printed last, below the lines of SAM CLI's cleanup.
      sam.prependListener('close', () => {
        console.error(`error: ${(error as Error).message}`);
        process.exitCode = 1;
      });
      sam.kill('SIGINT');
    }
    return;
  }
  const ready = { baseUrl, token, dynamodbEndpoint: endpoint };
  const log = 'SAM CLI prints several lines per request.';
  printReady(ready, options, `${log} Changes need a restart.`);
}
