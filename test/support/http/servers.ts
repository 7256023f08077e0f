import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { listen } from '../../../lib/local/listen.ts';
import type { certificateFiles } from '../certificate.ts';
import { finallyDo } from '../cleanup.ts';

type Tls = typeof certificateFiles;

/** Starts a server for the test file, with TLS if it has files for it. Returns its origin. */
export async function serve(listener: RequestListener, tls?: Tls): Promise<string> {
  const server = tls
    ? createTlsServer({ key: readFileSync(tls.key), cert: readFileSync(tls.certificate) }, listener)
    : createServer(listener);
  finallyDo(() => server.close().closeAllConnections());
  const origin = await listen(server, 0);
  return tls ? origin.replace('http:', 'https:') : origin;
}

interface Changes {
  /** The new Host header. */
  host?: string;
  /** Returns whether to respond 429 instead of forwarding. */
  throttle?: () => boolean;
  /** Changes the headers of a response. */
  spoil?: (headers: IncomingHttpHeaders, status: number) => void;
  tls?: Tls;
}

/** Starts a server that forwards requests to another one. Returns its origin. */
export const startForwarder = (
  to: string,
  { host, throttle = () => false, spoil = () => {}, tls }: Changes,
): Promise<string> =>
  serve((incoming, outgoing) => {
    const { method = '', url = '', rawHeaders, headersDistinct } = incoming;
    if (throttle()) {
      incoming.resume();
      outgoing.writeHead(429, { 'Retry-After': 0 }).end();
      return;
    }
    const headers = host ? { ...headersDistinct, host } : rawHeaders;
    const options = { method, headers: headers as never };
    const forwarded = request(new URL(url, to), options, (response) => {
      const { statusCode = 0, headers } = response;
      spoil(headers, statusCode);
      response.pipe(outgoing.writeHead(statusCode, headers));
    });
    forwarded.on('error', (error) => outgoing.destroy(error));
    incoming.pipe(forwarded);
  }, tls);
