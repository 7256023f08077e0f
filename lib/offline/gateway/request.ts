import { randomUUID } from 'node:crypto';

export interface HttpRequest {
  method: string;
  /** Path and query, percent-encoded. */
  url: string;
  /** In the order and the case in which they arrived. */
  headers: [name: string, value: string][];
  body: Buffer;
  sourceIp: string;
}

/** A header that has several values is there several times. */
export interface HttpResponse {
  statusCode: number;
  headers: [name: string, value: string][];
  body: string | Buffer;
}

/** A request with the parts of it that the gateway itself goes by. */
export type GatewayRequest = ReturnType<typeof readRequest>;

export function readRequest(request: HttpRequest) {
  /** Returns the last value of a header, whose name is given in lower case. */
  const header = (name: string) =>
    request.headers.findLast(([known]) => known.toLowerCase() === name)?.[1];
  const target = request.url.replace(/^https?:\/\/[^/?]*/i, '');
  const [fullPath = '', search = ''] = target.split(/\?(.*)/s);
  // Several slashes after the stage are one.
  const [, stage = '', path = ''] = /^\/([^/]*)\/*(.*)$/s.exec(fullPath) ?? [];
  return {
    ...request,
    httpMethod: header('x-http-method-override') ?? request.method,
    fullPath,
    stage,
    /** Within the stage. */
    path: `/${path}`,
    /** The query, percent-encoded. */
    search,
    header,
    // A client can choose this one, as on AWS.
    requestId: header('x-amzn-requestid') ?? randomUUID(),
    extendedRequestId: randomUUID(),
  };
}
