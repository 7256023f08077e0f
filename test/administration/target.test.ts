import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { announce } from '../../bin/command-line/running.ts';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { serve } from '../support/http/servers.ts';
import { run } from './command.ts';

// An npm start runs in this folder, and there is an account. Both are this server, which counts.
let calls = 0;
const server = await serve((_, response) => {
  calls += 1;
  response.writeHead(500).end();
});
const folder = temporaryFolder();
mkdirSync(join(folder, '.plant-store'));
announce(join(folder, '.plant-store'), { baseUrl: server, dynamodbEndpoint: server });
const account = {
  AWS_ENDPOINT_URL: server,
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
};

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Every command that changes or reads what is in a table. */
const commands = [
  { script: 'token', args: ['issue', '--owner', 'alice'] },
  { script: 'token', args: ['list'] },
  { script: 'token', args: ['revoke', 'Zk3v9QeXb2Lr'] },
  { script: 'token', args: ['rotate', 'Zk3v9QeXb2Lr'] },
  { script: 'token', args: ['list', '--region', 'eu-central-1', '--profile', 'work'] },
  { script: 'plants', args: ['export', '--owner', 'alice'] },
  { script: 'plants', args: ['import', '--owner', 'alice'] },
  { script: 'plants', args: ['erase', '--owner', 'alice'] },
  { script: 'contract', args: [] },
  { script: 'contract', args: ['--base-url', server] },
].filter(({ script }) => script in scripts);

test.each(commands)('$script $args touches nothing, and asks where', async ({ script, args }) => {
  const file = /\S+$/.exec(scripts[script])?.[0] ?? '';
  const { code, stdout, stderr } = await run(
    process.execPath,
    [join(root, file), ...args],
    account,
    folder,
  );
  const line =
    'error: Say where: add --localhost for the running "npm start", or --stack PlantStore for ' +
    'the deployed stack of that name.\n';
  expect({ code, stdout, stderr, calls }).toEqual({ code: 1, stdout: '', stderr: line, calls: 0 });
});
