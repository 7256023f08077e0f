import { createServer, type OutgoingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { listen } from '../../../lib/emulator/listen.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { describedStack } from '../../support/http/described-stack.ts';
import { startProgram } from '../../support/program.ts';
import { root } from '../../support/project.ts';
import { type Service, startService } from '../../support/service/service.ts';

// The deployed stack is a whole service, with a small CloudFormation that names its outputs. In
// front of it stands a server that turns every third request away and can spoil answers.

export let service: Service;
export let frontUrl: string;
export let cloudWatchUrl: string;
let cloudFormationUrl: string;

type Spoil = (status: number, headers: OutgoingHttpHeaders, url: string) => number | undefined;
export const standIn = {
  calls: 0,
  /** Changes an answer's headers, and returns another status or undefined. */
  spoil: (() => undefined) as Spoil,
  /** The metrics of CloudWatch that have data. */
  counting: [] as string[],
};

const front = createServer((incoming, outgoing) => {
  standIn.calls += 1;
  if (standIn.calls % 3 === 0) {
    incoming.resume();
    outgoing.writeHead(429, { 'Retry-After': 0 }).end();
    return;
  }
  const { method, url = '', rawHeaders } = incoming;
  const forwarded = request(
    new URL(url, service.baseUrl),
    { method: `${method}`, headers: rawHeaders as never },
    (answer) => {
      const status =
        standIn.spoil(answer.statusCode ?? 0, answer.headers, url) ?? answer.statusCode;
      answer.pipe(outgoing.writeHead(status ?? 0, answer.headers));
    },
  );
  incoming.pipe(forwarded);
});
const cloudFormation = createServer((_, response) => {
  const outputs = { AccessTokensTableName: tableIds.accessTokens, BaseUrl: frontUrl };
  response.end(describedStack('PlantStore', outputs));
});

const cloudWatch = createServer(async (request, response) => {
  const { MetricName, Namespace } = JSON.parse(await text(request));
  const Datapoints = standIn.counting.includes(`${Namespace} ${MetricName}`) ? [{ Sum: 1 }] : [];
  response.end(JSON.stringify({ Datapoints, Label: MetricName }));
});

beforeAll(async () => {
  service = await startService({ context: { 'plant-store:authorizer-cache': 1 } });
  frontUrl = `http://127.0.0.1:${await listen(front, 0, '127.0.0.1')}/v1`;
  cloudWatchUrl = `http://127.0.0.1:${await listen(cloudWatch, 0, '127.0.0.1')}`;
  cloudFormationUrl = `http://127.0.0.1:${await listen(cloudFormation, 0, '127.0.0.1')}`;
});
beforeEach(() => {
  standIn.spoil = () => undefined;
  standIn.counting = ['AWS/ApiGateway 5XXError', 'PlantStore AuthorizerFailed'];
});
afterAll(async () => {
  for (const server of [front, cloudFormation, cloudWatch]) {
    server.close();
    server.closeAllConnections();
  }
  await service?.stop();
});

export interface Options {
  env?: Record<string, string>;
  cwd?: string;
  onStart?: (kill: (signal: NodeJS.Signals) => void) => void;
}

const programs = ['bin/node24.mjs', 'test/contract/program/contract.ts'].map((file) =>
  join(root, file),
);
// An npm start may run in the project's own folder.
const elsewhere = temporaryFolder();
/** Runs the program. Returns its exit code with what it printed. */
export async function contract(
  args: string[],
  { env = {}, cwd = elsewhere, onStart }: Options = {},
) {
  const { child, ended } = startProgram(process.execPath, [...programs, ...args], {
    cwd,
    env: { PATH: process.env.PATH, AWS_EC2_METADATA_DISABLED: 'true', ...env },
    // The whole suite runs in it.
    seconds: 280,
  });
  onStart?.((signal) => child.kill(signal));
  const { code, stdout, stderr } = await ended();
  return { code, output: stdout + stderr };
}

/** Returns the environment in which the stand-in is the deployed stack. */
export const deployed = () => ({
  AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormationUrl,
  AWS_ENDPOINT_URL_CLOUDWATCH: cloudWatchUrl,
  AWS_ENDPOINT_URL_DYNAMODB: service.databaseEndpoint,
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_REGION: 'local',
});
