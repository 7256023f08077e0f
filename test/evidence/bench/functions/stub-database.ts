import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { digest } from '../../../../functions/access-tokens/token.ts';
import { listen } from '../../../../lib/offline/http/listen.ts';
import { tokenOf } from '../../../support/service/lambda-events.ts';

/** Answers every command at once, over HTTP and, if this machine has openssl, over TLS. */
export interface StubDatabase {
  endpoint: string;
  tls?: { endpoint: string; certificate: string };
  stop(): void;
}

const token = tokenOf('caller');
const record = {
  id: { S: token.slice(4, 16) },
  digest: { B: digest(token).toString('base64') },
  owner: { S: 'caller' },
  scopes: { L: [{ S: 'plants:read' }, { S: 'plants:write' }] },
  label: { S: '' },
  created: { N: '1600000000' },
};
const plantOf = (id: number) => ({
  id: { N: `${id}` },
  name: { S: `Monstera deliciosa ${id}` },
  tag: { S: 'indoor' },
});
const page = (length: number) =>
  JSON.stringify({ Items: Array.from({ length }, (_, i) => plantOf(i)), Count: length });
const answers: Record<string, string> = {
  PutItem: '{}',
  DeleteItem: JSON.stringify({ Attributes: plantOf(1) }),
  GetItem: JSON.stringify({ Item: record }),
  Query: page(10),
};
const thousand = page(1000);

/** Starts the stub. `folder` is for the certificate. The owner `thousand` has long lists. */
export async function startStubDatabase(folder: string): Promise<StubDatabase> {
  const listener: RequestListener = async (request, response) => {
    const body = await text(request);
    const operation = `${request.headers['x-amz-target']}`.split('.')[1] ?? '';
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    response.end(body.includes('thousand') ? thousand : answers[operation]);
  };
  // Connections outlast the time until their function is called again.
  const options = { keepAliveTimeout: 60_000 };
  const server = createServer(options, listener);
  const endpoint = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  const certificate = join(folder, 'cert.pem');
  const keyFile = join(folder, 'key.pem');
  if (!makeCertificate(certificate, keyFile)) {
    return { endpoint, stop: () => server.closeAllConnections() };
  }
  const cert = readFileSync(certificate);
  const key = readFileSync(keyFile);
  const tlsServer = createTlsServer({ ...options, cert, key }, listener);
  const port = await listen(tlsServer, 0, '127.0.0.1');
  return {
    endpoint,
    tls: { endpoint: `https://localhost:${port}`, certificate },
    stop() {
      for (const one of [server, tlsServer]) {
        one.closeAllConnections();
      }
    },
  };
}

/** Returns whether openssl, which this machine may lack, made a certificate. */
function makeCertificate(file: string, key: string): boolean {
  const kind = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1';
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const args = [...kind.split(' '), ...names, '-out', file, '-keyout', key];
  return spawnSync('openssl', args, { stdio: 'ignore' }).status === 0;
}
