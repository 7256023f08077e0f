import * as http from 'node:http';
import * as https from 'node:https';

export interface HttpRequest {
  method?: string;
  /** Within the base URL, percent-encoded. */
  path: string;
  /** Name, value, name, value. */
  headers?: string[];
  body?: string | Buffer | undefined;
  signal?: AbortSignal;
}

export interface HttpResponse {
  status: number;
  /** By lower-case name. */
  headers: Record<string, string | undefined>;
  body: string;
}

/** Sends a request exactly as given. `fetch` would normalize its path and headers. */
export function send(
  baseUrl: string,
  sent: HttpRequest,
  agent: http.Agent | false = false,
): Promise<HttpResponse> {
  const { method = 'GET', path, headers = [], body, signal } = sent;
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const { protocol, host, hostname, port, pathname } = new URL(baseUrl);
  const own = ['Host', host];
  const isChunked = headers.some((name) => name.toLowerCase() === 'transfer-encoding');
  if (body !== undefined && !isChunked) {
    own.push('Content-Length', `${Buffer.byteLength(body)}`);
  }
  const options = {
    hostname,
    port,
    method,
    path: pathname.replace(/\/$/, '') + path,
    headers: [...own, ...headers],
    agent,
    ...(signal && { signal }),
  };
  const request = (protocol === 'https:' ? https : http).request(options, async (response) => {
    const { statusCode: status = 0 } = response;
    const headers = response.headers as HttpResponse['headers'];
    try {
      resolve({ status, headers, body: `${Buffer.concat(await response.toArray())}` });
    } catch (error) {
      reject(error);
    }
  });
  request
    .on('error', (error: NodeJS.ErrnoException) => {
      // The server may close an idle connection while the agent uses it again.
      // https://nodejs.org/api/http.html#requestreusedsocket
      if (request.reusedSocket && error.code === 'ECONNRESET') {
        resolve(send(baseUrl, sent, agent));
      } else {
        reject(error);
      }
    })
    .end(body);
  return promise;
}

/** Parses JSON. Returns undefined if the text is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
