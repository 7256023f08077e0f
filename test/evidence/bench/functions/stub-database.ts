import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { digest } from '../../../../functions/access-tokens/token.ts';
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
const answers: Record<string, string> = {
  PutItem: '{}',
  DeleteItem: JSON.stringify({ Attributes: plantOf(1) }),
  GetItem: JSON.stringify({ Item: record }),
};
const page = (length: number) =>
  JSON.stringify({ Items: Array.from({ length }, (_, i) => plantOf(i)), Count: length });
const pages: Record<string, string> = { ten: page(10), thousand: page(1000) };

/** Starts the stub. `folder` is for the certificate. A list is as long as its owner's name says. */
export async function startStubDatabase(folder: string): Promise<StubDatabase> {
  const listener: RequestListener = (request, response) => {
    let body = '';
    request.setEncoding('latin1').on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const operation = `${request.headers['x-amz-target']}`.split('.')[1] ?? '';
      const text =
        operation === 'Query'
          ? pages[body.includes('thousand') ? 'thousand' : 'ten']
          : answers[operation];
      response.setHeader('content-type', 'application/x-amz-json-1.0');
      response.end(text);
    });
  };
  const listen = async (server: Server): Promise<number> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };

  // Connections outlast the time until their function is called again.
  const options = { keepAliveTimeout: 60_000 };
  const server = createServer(options, listener);
  const endpoint = `http://127.0.0.1:${await listen(server)}`;
  const certificate = makeCertificate(folder);
  if (!certificate) return { endpoint, stop: () => server.closeAllConnections() };
  const tlsServer = createTlsServer(
    {
      ...options,
      cert: readFileSync(certificate.cert),
      key: readFileSync(certificate.key),
    },
    listener,
  );
  const port = await listen(tlsServer);
  return {
    endpoint,
    tls: { endpoint: `https://localhost:${port}`, certificate: certificate.cert },
    stop() {
      for (const each of [server, tlsServer]) {
        each.closeAllConnections();
        each.close();
      }
    },
  };
}

function makeCertificate(folder: string) {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const args = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1';
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  try {
    execFileSync('openssl', [...args.split(' '), ...names, '-out', cert, '-keyout', key], {
      stdio: 'ignore',
    });
    return { cert, key };
  } catch {
    return undefined;
  }
}
