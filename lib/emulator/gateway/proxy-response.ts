import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { HttpResponse } from './http.ts';
import { isBinary } from './media-types.ts';

/**
 * What of a function's response does not reach the client, or only under the name `X-Amzn-Remapped-…`.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
 */
const dropped =
  'content-length expect host proxy-authenticate te trailer transfer-encoding upgrade via'.split(
    ' ',
  );
const remapped =
  'authorization connection content-md5 date max-forwards server user-agent www-authenticate'.split(
    ' ',
  );

/**
 * The HTTP response that a function's result asks for; undefined where the result is malformed.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-output-format
 */
export function proxyResponse(
  payload: string,
  accept: string | undefined,
  binaryMediaTypes: string[],
): HttpResponse | undefined {
  const result: unknown = JSON.parse(payload);
  if (!isRecord(result)) return undefined;
  const {
    statusCode = 200,
    body = null,
    isBase64Encoded = false,
    headers,
    multiValueHeaders,
    ...more
  } = result;
  const sent = readHeaders(headers ?? {}, multiValueHeaders ?? {});
  const isText = body === null || typeof body === 'string';
  const isStatus = /^[2-5]\d\d$/.test(String(statusCode));
  if (
    !sent ||
    !isText ||
    !isStatus ||
    typeof isBase64Encoded !== 'boolean' ||
    Object.keys(more).length > 0
  )
    return undefined;

  const passed = sent.filter(([name]) => !dropped.includes(name.toLowerCase()));
  if (!passed.some(([name]) => name.toLowerCase() === 'content-type'))
    passed.push(['Content-Type', 'application/json']);
  const encoding = isBase64Encoded && isBinary(accept, binaryMediaTypes) ? 'base64' : 'utf8';
  return {
    statusCode: Number(statusCode),
    headers: passed.map(([name, value]) => [
      remapped.includes(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name,
      value,
    ]),
    body: Buffer.from(body ?? '', encoding),
  };
}

/** The two maps as one list, in which what both of them say is there once. Undefined where one of them is malformed. */
function readHeaders(single: unknown, multi: unknown): [string, string][] | undefined {
  if (!isRecord(single) || !isRecord(multi)) return undefined;
  const lists = Object.entries(multi);
  if (!lists.every((entry): entry is [string, unknown[]] => Array.isArray(entry[1])))
    return undefined;
  const several = lists.flatMap(([name, values]) =>
    values.map((value): [string, unknown] => [name, value]),
  );
  const once = Object.entries(single).filter(
    ([name, value]) => !several.some(([other, same]) => other === name && same === value),
  );
  return readAll([...several, ...once]);
}

function readAll(pairs: [string, unknown][]): [string, string][] | undefined {
  try {
    return pairs.map(([name, value]) => {
      if (typeof value !== 'string' && typeof value !== 'boolean')
        throw new Error(`${name}: a header is a string or a boolean.`);
      validateHeaderName(name);
      validateHeaderValue(name, String(value));
      return [name, String(value)];
    });
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
