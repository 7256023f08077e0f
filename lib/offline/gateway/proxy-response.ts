import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { HttpResponse } from './request.ts';

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
 * Returns the HTTP response that a function's result asks for. Throws if it is malformed. A body in
 * base64 stays text, because the API has no binary media types.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-output-format
 */
export function proxyResponse(payload: string): HttpResponse {
  const {
    statusCode = 200,
    headers,
    multiValueHeaders,
    body,
    isBase64Encoded = false,
    ...others
  } = membersOf(JSON.parse(payload));
  if (
    typeof (body ?? '') !== 'string' ||
    !/^[2-5]\d\d$/.test(String(statusCode)) ||
    typeof isBase64Encoded !== 'boolean' ||
    Object.keys(others).length > 0
  ) {
    throw new TypeError('Not a response.');
  }

  const sent = readHeaders(membersOf(headers ?? {}), membersOf(multiValueHeaders ?? {}));
  const passed = sent.filter(([name]) => !dropped.test(name));
  if (!passed.some(([name]) => name.toLowerCase() === 'content-type')) {
    passed.push(['Content-Type', 'application/json']);
  }
  return {
    statusCode: Number(statusCode),
    headers: passed.map(([name, value]) => [
      remapped.test(name) ? `x-amzn-Remapped-${name}` : name,
      value,
    ]),
    body: String(body ?? ''),
  };
}

/** Returns the two maps as one list, without a value that both have. Throws if one is malformed. */
function readHeaders(single: Members, multi: Members): [string, string][] {
  const several = Object.entries(multi).flatMap(([name, values]) =>
    (values as unknown[]).map((value) => [name, value] as const),
  );
  const once = Object.entries(single).filter(
    ([name, value]) => !several.some(([other, same]) => other === name && same === value),
  );
  return [...several, ...once].map(([name, value]) => {
    validateHeaderName(name);
    validateHeaderValue(name, String(value));
    if (typeof value === 'string' || typeof value === 'boolean') {
      return [name, String(value)];
    }
    throw new TypeError('Not a header.');
  });
}

type Members = Record<string, unknown>;

/** Throws if the value is not an object. */
function membersOf(value: unknown): Members {
  if (typeof value === 'object' && value && !Array.isArray(value)) {
    return value as Members;
  }
  throw new TypeError('Not an object.');
}
