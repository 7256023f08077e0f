import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, get } from 'node:https';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, test } from '@jest/globals';
import { plantsProgram } from '../../../bin/plants.ts';
import { tokenProgram } from '../../../bin/token.ts';
import { HandshakeAgent } from '../../../functions/dynamodb/handshake-agent.ts';
import { withoutAwsFiles } from '../../../lib/offline/away-from-aws.ts';
import { listen } from '../../../lib/offline/listen.ts';
import { mask } from '../../programs/printed.ts';
import { runHere } from '../../programs/run.ts';
import { splitToken } from '../../support/access-tokens/parts.ts';
import { certificateFiles } from '../../support/certificate.ts';
import { finallyDo } from '../../support/cleanup.ts';
import { clock } from '../../support/clock/clock.ts';
import {
  alertInHandshake,
  closeHandshake,
  resetHandshake,
  temporaryCredentials,
} from '../../support/database/proxy.ts';
import { describeStack } from '../../support/http/described-stack.ts';
import { serve } from '../../support/http/servers.ts';
import { endpoint, handshakes, proxy } from './calls.ts';

// A TLS handshake that fails carried no request. Between the programs and a real engine stands a
// proxy with TLS. The faults of every function have those of its handshakes.

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
  const lines = Array.from({ length: 5 }, (_, id) => `{"id":${id},"name":"Aloe"}\n`).join('');
  const ended = await runOnStack(plantsProgram, 'import - --owner importer', lines);
  expect(ended).toMatchSnapshot();
  expect(proxy.seen('importer')).toEqual(Array(5).fill('PutItem'));
  expect(handshakes).toEqual([]);
});

test('after a handshake without a ServerHello, token issue sends its put once', async () => {
  handshakes.push(() => clock.advance(3000));
  const ended = await runOnStack(tokenProgram, 'issue --owner ann');
  expect(mask(ended)).toMatchSnapshot();
  expect(proxy.seen(splitToken(ended.stdout).id)).toEqual(['PutItem']);
  expect(handshakes).toEqual([]);
});

test('if all handshakes fail, token list says that AWS cannot be reached', async () => {
  handshakes.push(alertInHandshake, alertInHandshake, alertInHandshake);
  const { stderr, ...ended } = await runOnStack(tokenProgram, 'list --owner nobody');
  // The reason is OpenSSL's.
  const masked = stderr.replace(/\(.*handshake failure.*\)/, '(handshake failure)');
  expect({ ...ended, stderr: masked }).toMatchSnapshot();
});
