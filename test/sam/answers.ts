import { request as httpRequest } from 'node:http';
import type { Request } from './requests.ts';

/** An answer's parts by name: `status`, `body`, and each header by its name in lower case. */
export type Answer = Record<string, string>;

/** Sends a request exactly as it is and returns what came back, but for what belongs to the connection and the time of day. */
export function answerTo(
  baseUrl: string,
  tokens: Record<string, string>,
  { method, path, as, headers = [], body }: Request,
): Promise<Answer> {
  const { hostname, port, host, pathname } = new URL(baseUrl);
  const sent: [string, string][] = [['Host', host], ...headers];
  if (as) sent.push(['Authorization', `Bearer ${tokens[as]}`]);
  if (body !== undefined) sent.push(['Content-Length', `${Buffer.byteLength(body)}`]);
  const options = {
    hostname,
    port,
    method,
    path: pathname.replace(/\/$/, '') + path,
    headers: sent.flat(),
  };
  return new Promise((resolve, reject) => {
    httpRequest(options, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      const {
        date,
        connection,
        'keep-alive': _,
        'transfer-encoding': __,
        ...more
      } = response.headers as Answer;
      resolve({ status: `${response.statusCode}`, ...more, body: text });
    })
      .on('error', reject)
      .end(body);
  });
}
