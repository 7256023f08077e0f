import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, get } from 'node:https';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { beforeAll, expect, test } from '@jest/globals';
import { plantsProgram } from '../../../bin/plants.ts';
import { tokenProgram } from '../../../bin/token.ts';
import { HandshakeAgent } from '../../../functions/dynamodb/handshake-agent.ts';
import { withoutAwsFiles } from '../../../lib/offline/away-from-aws.ts';
import {
  type Functions,
  functionVariables,
  startFunctions,
} from '../../../lib/offline/functions.ts';
import { listen } from '../../../lib/offline/listen.ts';
import { runHere } from '../../programs/run.ts';
import { certificateFiles } from '../../support/certificate.ts';
import { finallyDo } from '../../support/cleanup.ts';
import { clock, clockOfThread } from '../../support/clock/clock.ts';
import {
  alertInHandshake,
  closeHandshake,
  type FaultProxy,
  type HandshakeFault,
  loseResponse,
  pass,
  resetHandshake,
  startFaultProxy,
  temporaryCredentials,
} from '../../support/database/proxy.ts';
import { describeStack } from '../../support/http/described-stack.ts';
import { serve } from '../../support/http/servers.ts';
import { endpoint as engine, invoke, makeEvent } from './calls.ts';
import { type Call, calls } from './every-function.ts';

// A TLS handshake that fails carried no request. Between the clients and a real engine stands a
// proxy with TLS, and each request needs a connection of its own.

const trust = new URL('trust.mjs', import.meta.url).href;
const handshakes: HandshakeFault[] = [];
const functionsClock = clockOfThread();
let proxy: FaultProxy;
let endpoint: string;
let functions: Functions;

beforeAll(async () => {
  proxy = await startFaultProxy({ ...certificateFiles, handshakes });
  endpoint = proxy.before(engine);
  functions = startFunctions({
    variables: {
      ...functionVariables(endpoint),
      ...temporaryCredentials,
      ...functionsClock.variables,
      NODE_EXTRA_CA_CERTS: certificateFiles.certificate,
      NODE_OPTIONS: `${functionsClock.variables.NODE_OPTIONS} --import=${trust}`,
    },
    onOutput: (text) => process.stderr.write(text),
    onError: (error) => process.stderr.write(`${error.stack}`),
  });
  finallyDo(functions.stop);
  await functions.loaded;
});

interface Played {
  status: number;
  log: { code: string; cause?: { name: string } }[];
}

async function play(call: Call, subject: string): Promise<Played> {
  const { status, log } = await invoke(functions, call, await makeEvent(call, subject));
  return { status, log: log.map((line) => JSON.parse(line)) };
}

const kinds = [
  { kind: 'reset', fault: resetHandshake },
  { kind: 'closed', fault: closeHandshake },
  { kind: 'left without a ServerHello', fault: () => functionsClock.advance(1000) },
  { kind: 'refused with a TLS alert', fault: alertInHandshake },
];
/** Each call is about a plant or a token that is not there. */
const expected = {
  create: { status: 201, sent: ['PutItem'], code: 'PLANT_CREATED' },
  list: { status: 200, sent: ['Query'], code: 'PLANTS_LISTED' },
  delete: { status: 404, sent: ['DeleteItem'], code: 'REQUEST_REFUSED' },
  authorizer: { status: 200, sent: ['GetItem'], code: 'TOKEN_ACCEPTED' },
};

let subjects = 0;
const newSubject = () => `shake${`${++subjects}`.padStart(7, '0')}`;

test.each(calls.flatMap((call) => kinds.map((one) => ({ call, ...one }))))(
  'after a handshake that is $kind, a call ($call) is sent once and returns its usual status',
  async ({ call, fault }) => {
    const subject = newSubject();
    handshakes.push(fault);
    const { status, log } = await play(call, subject);
    expect({ status, sent: proxy.seen(subject), code: log[0]?.code }).toEqual(expected[call]);
    expect(handshakes).toEqual([]);
  },
);

test.each(calls)(
  'if all handshakes fail, a call (%s) is unavailable and sends nothing',
  async (call) => {
    const subject = newSubject();
    handshakes.push(resetHandshake, alertInHandshake, closeHandshake);
    const { status, log } = await play(call, subject);
    expect({ status, sent: proxy.seen(subject) }).toEqual({ status: 503, sent: [] });
    const code = call === 'authorizer' ? 'AUTHORIZER_FAILED' : 'DATABASE_UNAVAILABLE';
    expect(log).toMatchObject([{ code, cause: { code: 'ECONNRESET' } }]);
    expect(handshakes).toEqual([]);
  },
);

test.each([
  { call: 'create', status: 201, sent: ['PutItem', 'GetItem'] },
  { call: 'delete', status: 204, sent: ['DeleteItem', 'GetItem'] },
] as const)('a $call whose response is lost after a handshake is sent once', async (expected) => {
  const subject = newSubject();
  proxy.play(subject, loseResponse, pass);
  const { status } = await play(expected.call, subject);
  expect({ call: expected.call, status, sent: proxy.seen(subject) }).toEqual(expected);
});

test('the limit of a handshake does not limit the response', async () => {
  const { key, certificate } = certificateFiles;
  const tls = { key: readFileSync(key), cert: readFileSync(certificate) };
  // The first byte comes after the limit.
  const server = createServer(tls, async (_, response) => {
    await clock.advance(1000);
    response.end('late');
  });
  finallyDo(() => server.close());
  const url = (await listen(server, 0)).replace('http:', 'https:');
  const agent = new HandshakeAgent(1000);
  const request = get(url, { agent, ca: tls.cert });
  const [response] = await once(request, 'response');
  expect(await text(response)).toBe('late');
  agent.destroy();
});

// The programs change which certificates this process trusts.
const trusted = getCACertificates('default');
finallyDo(() => setDefaultCACertificates(trusted));

/** Runs a program on a deployed stack, whose database is behind the proxy. */
async function runOnStack(program: () => Promise<number>, line: string, stdin = '') {
  const outputs = { PlantsTableName: 'Plants', AccessTokensTableName: 'AccessTokens' };
  const cloudFormation = await serve((_, response) =>
    response.end(describeStack('PlantStore', outputs)),
  );
  const env = {
    ...withoutAwsFiles,
    ...temporaryCredentials,
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_CA_BUNDLE: certificateFiles.certificate,
  };
  return runHere(program, `${line} --stack PlantStore`, { env, stdin });
}

test('an import creates each plant once, although three handshakes fail', async () => {
  handshakes.push(resetHandshake, closeHandshake, alertInHandshake);
  const lines = Array.from({ length: 40 }, (_, id) => `{"id":${id},"name":"Aloe"}\n`).join('');
  const ended = await runOnStack(plantsProgram, 'import - --owner importer', lines);
  expect(ended).toMatchSnapshot();
  expect(proxy.seen('importer')).toEqual(Array(40).fill('PutItem'));
  expect(handshakes).toEqual([]);
});

test('if all handshakes fail, token list says that AWS cannot be reached', async () => {
  handshakes.push(alertInHandshake, alertInHandshake, alertInHandshake);
  const { stderr, ...ended } = await runOnStack(tokenProgram, 'list --owner nobody');
  // The reason is OpenSSL's.
  const masked = stderr.replace(/\(.*handshake failure.*\)/, '(handshake failure)');
  expect({ ...ended, stderr: masked }).toMatchSnapshot();
});
