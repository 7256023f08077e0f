import { createServer, type OutgoingHttpHeaders, type RequestListener, request } from 'node:http';
import { listen } from '../../../lib/offline/listen.ts';
import { finallyDo } from '../cleanup.ts';

/** Starts a server until the end of the test file. Returns its origin. */
export async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  finallyDo(() => server.close().closeAllConnections());
  return listen(server, 0);
}

interface Changes {
  /** The host name that the requests get. */
  host?: string;
  /** Returns whether the next request is answered with 429, and not passed on. */
  throttle?: () => boolean;
  /** Changes an answer's headers, and returns its status. */
  spoil?: (status: number, headers: OutgoingHttpHeaders, url: string) => number;
}

/** Starts a server that passes requests on to another one. Returns its origin. */
export const startForwarder = (
  to: string,
  { host, throttle = () => false, spoil = (status) => status }: Changes,
): Promise<string> =>
  serve((incoming, outgoing) => {
    const { method = '', url = '', rawHeaders } = incoming;
    if (throttle()) {
      incoming.resume();
      outgoing.writeHead(429, { 'Retry-After': 0 }).end();
      return;
    }
    const headers = host ? withHost(rawHeaders, host) : rawHeaders;
    const options = { method, headers: headers as never };
    const forwarded = request(new URL(url, to), options, (answer) => {
      const status = spoil(answer.statusCode ?? 0, answer.headers, url);
      answer.pipe(outgoing.writeHead(status, answer.headers));
    });
    forwarded.on('error', (error) => outgoing.destroy(error));
    incoming.pipe(forwarded);
  });

/** Replaces the host name in headers as they were sent: names and values in turn. */
function withHost(rawHeaders: string[], host: string): string[] {
  const isHost = (i: number) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'host';
  return rawHeaders.map((text, i) => (isHost(i) ? host : text));
}
