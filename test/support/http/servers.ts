import { createServer, type OutgoingHttpHeaders, type RequestListener, request } from 'node:http';
import { listen } from '../../../lib/offline/listen.ts';
import { finallyDo } from '../cleanup.ts';

/** Starts a server for the test file. Returns its origin. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  finallyDo(() => server.close().closeAllConnections());
  return listen(server, 0);
}

interface Changes {
  /** The new Host header. */
  host?: string;
  /** Texts to send at some paths, instead of forwarding. */
  texts?: Record<string, string>;
  /** Returns whether to respond 429 instead of forwarding. */
  throttle?: () => boolean;
  /** Changes the headers of a response, and returns its status. */
  spoil?: (status: number, headers: OutgoingHttpHeaders, url: string) => number;
}

/** Starts a server that forwards requests to another one. Returns its origin. */
export const startForwarder = (
  to: string,
  { host, texts = {}, throttle = () => false, spoil = (status) => status }: Changes,
): Promise<string> =>
  serve((incoming, outgoing) => {
    const { method = '', url = '', rawHeaders } = incoming;
    if (texts[url] !== undefined) {
      outgoing.end(texts[url]);
      return;
    }
    if (throttle()) {
      incoming.resume();
      outgoing.writeHead(429, { 'Retry-After': 0 }).end();
      return;
    }
    const headers = host ? withHost(rawHeaders, host) : rawHeaders;
    const options = { method, headers: headers as never };
    const forwarded = request(new URL(url, to), options, (response) => {
      const status = spoil(response.statusCode ?? 0, response.headers, url);
      response.pipe(outgoing.writeHead(status, response.headers));
    });
    forwarded.on('error', (error) => outgoing.destroy(error));
    incoming.pipe(forwarded);
  });

/** Replaces the Host header in raw headers: name, value, name, value. */
function withHost(rawHeaders: string[], host: string): string[] {
  const isHost = (i: number) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'host';
  return rawHeaders.map((text, i) => (isHost(i) ? host : text));
}
