import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { listTokens } from '../bin/token/administration.ts';
import { startTokensTable } from './access-tokens/tokens-table.ts';

// The deployed stack: CloudFormation answers as it does, DynamoDB is the local engine, the API is up to each test.

let tokens: Awaited<ReturnType<typeof startTokensTable>>;
let cloudFormation: Server;
let api: Server;
let answer = (_: ServerResponse) => {};
const origin = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  tokens = await startTokensTable('PlantStore-AccessTokens-1ABC');
  api = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  cloudFormation = createServer((_, response) => {
    const outputs = { AccessTokensTableName: tokens.name, BaseUrl: `${origin(api)}/v1` };
    const members = Object.entries(outputs).map(
      ([key, value]) =>
        `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
    );
    const stacks = `<Stacks><member><StackName>PlantStore</StackName><Outputs>${members.join('')}</Outputs></member></Stacks>`;
    response.end(
      `<DescribeStacksResponse><DescribeStacksResult>${stacks}</DescribeStacksResult></DescribeStacksResponse>`,
    );
  }).listen(0, '127.0.0.1');
  await Promise.all([once(api, 'listening'), once(cloudFormation, 'listening')]);
});
afterAll(async () => {
  api.closeAllConnections();
  for (const server of [api, cloudFormation]) server.close();
  await tokens.stop();
});

const smoke = () =>
  spawn(process.execPath, ['bin/node24.mjs', 'bin/smoke.ts'], {
    cwd: join(import.meta.dirname, '..'),
    env: {
      PATH: process.env.PATH,
      AWS_ENDPOINT_URL_CLOUDFORMATION: origin(cloudFormation),
      AWS_ENDPOINT_URL_DYNAMODB: tokens.endpoint,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_REGION: 'local',
    },
    stdio: 'ignore',
  });

/** The tokens of all runs so far. */
const issued = () => listTokens(tokens.database, tokens.name);

test('an API that fails fails the run, and its tokens are revoked', async () => {
  answer = (response) => response.writeHead(500).end();
  const [code] = await once(smoke(), 'exit');
  expect(code).not.toBe(0);
  const made = await issued();
  expect(made).toHaveLength(5);
  for (const { label, owner, revoked } of made) {
    expect([label, owner]).toEqual(['npm run smoke', expect.stringMatching(/^smoke-/)]);
    expect(revoked).toBeDefined();
  }
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s in the middle of the suite leaves no token that works',
  async (signal) => {
    const before = (await issued()).length;
    const run = smoke();
    answer = (response) => {
      run.kill(signal);
      response.writeHead(500).end();
    };
    const [code] = await once(run, 'exit');
    expect(code).not.toBe(0);
    const made = await issued();
    expect(made).toHaveLength(before + 5);
    for (const { revoked } of made) expect(revoked).toBeDefined();
  },
);
