import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { beforeEach, expect, test } from '@jest/globals';
import { tokenProgram } from '../../bin/token.ts';
import { splitToken } from '../support/access-tokens/parts.ts';
import { certificateFiles } from '../support/certificate.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { clock } from '../support/clock/clock.ts';
import { openDatabase } from '../support/database/engine.ts';
import {
  alertInHandshake,
  closeHandshake,
  type HandshakeFault,
  resetHandshake,
  startFaultProxy,
  temporaryCredentials,
} from '../support/database/proxy.ts';
import { startConnectProxy } from '../support/http/connect-proxy.ts';
import { describeStack } from '../support/http/described-stack.ts';
import { serve } from '../support/http/servers.ts';
import type { Ended } from '../support/program.ts';
import { emptyTable, failure, mask, usingStack } from '../support/programs/printed.ts';
import { runHere } from '../support/programs/run.ts';

// The programs reach a stack, which has TLS everywhere, through a proxy that records CONNECT
// requests.

const folder = temporaryFolder();
const { endpoint: engine } = await openDatabase();
const { certificate } = certificateFiles;
const handshakes: HandshakeFault[] = [];
const database = await startFaultProxy(handshakes);
const endpoint = database.before(engine);
const stack = { PlantsTableName: 'Plants', AccessTokensTableName: 'AccessTokens' };
const cloudFormation = await serve(
  (_, response) => response.end(describeStack('PlantStore', stack)),
  certificateFiles,
);
const proxy = await startConnectProxy();
const hosts = {
  cloudFormation: new URL(cloudFormation).host,
  database: new URL(endpoint).host,
};
const configFile = join(folder, 'config');
/** The calls of AssumeRole: the code, and the access key that signed it. */
const assumed: (string | null | undefined)[][] = [];
beforeEach(() => {
  proxy.asked.length = 0;
  assumed.length = 0;
  writeFileSync(configFile, '');
  // The programs change which certificates this process trusts.
  setDefaultCACertificates([]);
});
const trusted = getCACertificates('default');
finallyDo(() => setDefaultCACertificates(trusted));

const deployed = {
  ...temporaryCredentials,
  AWS_CONFIG_FILE: configFile,
  AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation,
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
};
const trusting = { ...deployed, AWS_CA_BUNDLE: certificate };

/** Never responds, until the program gives up. */
const hang = () => clock.advance(3000);

type Variables = Record<string, string>;
const token = (line: string, env: Variables, stdin: string | Readable = ''): Promise<Ended> =>
  runHere(tokenProgram, `${line} --stack PlantStore`, { env, stdin });

const listed = { code: 0, stdout: emptyTable, stderr: usingStack() };
const details = 'ID: plants:read plants:write for ann; expires: TIME. It cannot be shown again.\n';
const issued = { code: 0, stdout: 'TOKEN\n', stderr: usingStack() + details };

const through = [hosts.cloudFormation, hosts.database];
test.each([
  { what: 'HTTPS_PROXY', env: { HTTPS_PROXY: proxy.origin }, asked: through },
  {
    what: 'a proxy without a scheme',
    env: { HTTPS_PROXY: proxy.origin.replace('http://', '') },
    asked: through,
  },
  {
    what: 'NO_PROXY for all hosts',
    env: { HTTPS_PROXY: proxy.origin, NO_PROXY: 'a.example,127.0.0.1' },
    asked: [],
  },
  {
    what: 'no_proxy for the database, which comes before NO_PROXY',
    env: { https_proxy: proxy.origin, no_proxy: hosts.database, NO_PROXY: '127.0.0.1' },
    asked: [hosts.cloudFormation],
  },
])('with $what, token list asks the proxy for the right hosts', async ({ env, asked }) => {
  const ended = await token('list --owner nobody', { ...trusting, ...(env as object) });
  expect(ended).toEqual(listed);
  expect(proxy.asked).toEqual(asked);
});

test.each(['socks5://127.0.0.1:1', 'xhttp://127.0.0.1:1', 'http://user:secret@a b'])(
  'HTTPS_PROXY=%s fails with one line that does not quote it',
  async (HTTPS_PROXY) => {
    expect(await token('list', { ...trusting, HTTPS_PROXY })).toEqual(
      failure('error: HTTPS_PROXY is not an address like http://proxy.example:3128. Correct it.'),
    );
  },
);

const behindProxy = { ...trusting, HTTPS_PROXY: proxy.origin };

/**
 * Responds as AWS would to a log-in by SSO and to AssumeRole, with credentials for the database.
 */
const logIn = await serve(async (request, response) => {
  const credentials = {
    accessKeyId: temporaryCredentials.AWS_ACCESS_KEY_ID,
    secretAccessKey: temporaryCredentials.AWS_SECRET_ACCESS_KEY,
    sessionToken: temporaryCredentials.AWS_SESSION_TOKEN,
    expiration: Date.now() + 3_600_000,
  };
  if (request.url?.startsWith('/federation/credentials')) {
    response.end(JSON.stringify({ roleCredentials: credentials }));
    return;
  }
  const body = new URLSearchParams(`${Buffer.concat(await request.toArray())}`);
  const [, accessKeyId] = /Credential=([^/]*)/.exec(`${request.headers.authorization}`) ?? [];
  assumed.push([body.get('SerialNumber'), body.get('TokenCode'), accessKeyId]);
  response.end(
    '<AssumeRoleResponse><AssumeRoleResult><Credentials>' +
      `<AccessKeyId>${credentials.accessKeyId}</AccessKeyId>` +
      `<SecretAccessKey>${credentials.secretAccessKey}</SecretAccessKey>` +
      `<SessionToken>${credentials.sessionToken}</SessionToken>` +
      '<Expiration>2096-10-02T07:06:40Z</Expiration>' +
      '</Credentials></AssumeRoleResult></AssumeRoleResponse>',
  );
}, certificateFiles);
const home = join(folder, 'home');
const cache = join(home, '.aws', 'sso', 'cache');
mkdirSync(cache, { recursive: true });
const accessToken = { accessToken: 'a', expiresAt: '2096-10-02T07:06:40Z' };
// The name is the SHA-1 of the session's.
const cached = `${createHash('sha1').update('company').digest('hex')}.json`;
writeFileSync(join(cache, cached), JSON.stringify(accessToken));
const device = 'arn:aws:iam::111122223333:mfa/ann';
const logIns = `[profile sso]
region = eu-west-1
sso_session = company
sso_account_id = 111122223333
sso_role_name = admin
[sso-session company]
sso_region = eu-west-1
sso_start_url = https://company.example
[profile mfa]
region = eu-west-1
role_arn = arn:aws:iam::111122223333:role/admin
source_profile = keys
mfa_serial = ${device}
[profile keys]
aws_access_key_id = KEYS
aws_secret_access_key = secret
`;

test.each([
  { profile: 'sso', question: '', calls: [] },
  { profile: 'mfa', question: `Code of ${device}: `, calls: [[device, '123456', 'KEYS']] },
])('the log-in of the profile $profile goes through the proxy, once', async (row) => {
  writeFileSync(configFile, logIns);
  const env = {
    ...behindProxy,
    HOME: home,
    USERPROFILE: home,
    AWS_ENDPOINT_URL_SSO: logIn,
    AWS_ENDPOINT_URL_STS: logIn,
  };
  const terminal = Object.assign(Readable.from([Buffer.from('123456\n')]), { isTTY: true });
  const ended = await token(`list --owner nobody --profile ${row.profile}`, env, terminal);
  expect(ended).toEqual({ ...listed, stderr: row.question + listed.stderr });
  expect(assumed).toEqual(row.calls);
  expect(proxy.asked).toEqual([new URL(logIn).host, ...through]);
});

const respond = (line: string) => (socket: Socket) => socket.end(`HTTP/1.1 ${line}\r\n\r\n`);
test.each<{ kind: string; refuse?: HandshakeFault; fault?: HandshakeFault }>([
  { kind: 'a CONNECT that is refused', refuse: respond('503 Service Unavailable') },
  { kind: 'a CONNECT that is closed', refuse: (socket) => socket.end() },
  { kind: 'a CONNECT that is reset', refuse: (socket) => socket.resetAndDestroy() },
  { kind: 'a CONNECT that is left without a response', refuse: hang },
  { kind: 'a handshake that is reset', fault: resetHandshake },
  { kind: 'a handshake that is closed', fault: closeHandshake },
  { kind: 'a handshake that is left without a ServerHello', fault: hang },
  { kind: 'a handshake that is refused with a TLS alert', fault: alertInHandshake },
])('after $kind, token issue sends its put once', async ({ refuse, fault }) => {
  proxy.refusals.set(hosts.database, refuse ? [refuse] : []);
  handshakes.push(...(fault ? [fault] : []));
  const ended = await token('issue --owner ann', behindProxy);
  expect(mask(ended)).toEqual(issued);
  expect(database.seen(splitToken(ended.stdout).id)).toEqual(['PutItem']);
  expect(proxy.asked).toEqual([...through, hosts.database]);
});

test.each([
  {
    source: 'AWS_CA_BUNDLE, in the folder of the caller',
    env: { AWS_CA_BUNDLE: 'certificate.pem' },
  },
  { source: 'the profile’s ca_bundle', env: { AWS_PROFILE: 'work' } },
])('the certificates of $source are trusted', async ({ env }) => {
  writeFileSync(configFile, `[profile work]\nca_bundle = ${certificate}\n`);
  const variables = { ...deployed, INIT_CWD: dirname(certificate), ...(env as object) };
  const ended = await token('list --owner nobody', variables);
  expect(ended).toEqual(listed);
});

test('without the bundle, the certificate is not trusted', async () => {
  const { code, stderr } = await token('list', deployed);
  expect(stderr).toMatch(/^error: AWS cannot be reached \(self-signed certificate.*\)\. Check /);
  expect(code).toBe(1);
});

const missing = join(folder, 'missing.pem');
const noBundle = (file: string, reason: string) =>
  `error: Cannot use the CA bundle ${file}: ${reason}. Correct AWS_CA_BUNDLE, or ca_bundle of the AWS profile.`;
test.each([
  {
    what: 'a missing bundle of the default profile',
    env: {},
    error: noBundle(missing, `ENOENT: no such file or directory, open '${missing}'`),
  },
  {
    what: 'a bundle without certificates',
    env: { AWS_CA_BUNDLE: configFile },
    error: noBundle(configFile, 'REASON'),
  },
])('$what fails with one line', async ({ env, error }) => {
  writeFileSync(configFile, `[default]\nca_bundle = ${missing}\n`);
  const ended = await token('list', { ...deployed, ...(env as object) });
  // The reason is OpenSSL's.
  const stderr = ended.stderr.replace(/(?<=config: )[^/]*(?=\. Correct)/, 'REASON');
  expect({ ...ended, stderr }).toEqual(failure(error));
});
