import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { HttpResponse } from './http.ts';

/**
 * The headers of a function's response that do not reach the client, and those that reach it as
 * `X-Amzn-Remapped-…` only.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
 */
const dropped =
  /^(content-length|expect|host|proxy-authenticate|te|trailer|transfer-encoding|upgrade|via)$/i;
const remapped =
  /^(authorization|connection|content-md5|date|max-forwards|server|user-agent|www-authenticate)$/i;

/**
 * Returns the HTTP response that a function's result asks for, or undefined if it is malformed. A
 * body in base64 stays text, because the API has no binary media types.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-output-format
 */
export function proxyResponse(payload: string): HttpResponse | undefined {
  const result: unknown = JSON.parse(payload);
  if (!isRecord(result)) return undefined;
  const { statusCode = 200, body = null, isBase64Encoded = false, ...others } = result;
  const { headers, multiValueHeaders, ...more } = others;
  const sent = readHeaders(headers ?? {}, multiValueHeaders ?? {});
  if (
    !sent ||
    (body !== null && typeof body !== 'string') ||
    !/^[2-5]\d\d$/.test(String(statusCode)) ||
    typeof isBase64Encoded !== 'boolean' ||
    Object.keys(more).length > 0
  )
    return undefined;

  const passed = sent.filter(([name]) => !dropped.test(name));
  if (!passed.some(([name]) => name.toLowerCase() === 'content-type'))
    passed.push(['Content-Type', 'application/json']);
  return {
    statusCode: Number(statusCode),
    headers: passed.map(([name, value]) => [
      remapped.test(name) ? `x-amzn-Remapped-${name}` : name,
      value,
    ]),
    body: body ?? '',
  };
}

/**
 * Returns the two maps as one list, without a value that both of them have, or undefined if one of
 * them is malformed.
 */
function readHeaders(single: unknown, multi: unknown): [string, string][] | undefined {
  if (!isRecord(single) || !isRecord(multi)) return undefined;
  if (!Object.values(multi).every(Array.isArray)) return undefined;
  const several = Object.entries(multi as Record<string, unknown[]>).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
  const once = Object.entries(single).filter(
    ([name, value]) => !several.some(([other, same]) => other === name && same === value),
  );
  const all = [...several, ...once];
  return all.every(isHeader) ? all.map(([name, value]) => [name, String(value)]) : undefined;
}

function isHeader([name, value]: readonly [string, unknown]): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, String(value));
    return typeof value === 'string' || typeof value === 'boolean';
  } catch {
    return false;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
