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

/** A request, and the parts of it that the gateway reads. */
export interface GatewayRequest extends HttpRequest {
  httpMethod: string;
  /** The path with the stage. */
  fullPath: string;
  stage: string;
  /** Within the stage. */
  path: string;
  /** The query, percent-encoded. */
  search: string;
  /** Returns the last value of a header, whose name is given in lower case. */
  header(name: string): string | undefined;
  /** A client can choose it by a header, as on AWS. */
  requestId: string;
  extendedRequestId: string;
}

export function readRequest(request: HttpRequest): GatewayRequest {
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
    path: `/${path}`,
    search,
    header,
    requestId: header('x-amzn-requestid') ?? randomUUID(),
    extendedRequestId: randomUUID(),
  };
}
