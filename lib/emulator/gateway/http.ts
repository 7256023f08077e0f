/** A request as it came. */
export interface HttpRequest {
  method: string;
  /** Path and query, percent-encoded. */
  url: string;
  /** Names and values in the order and the case they came in. */
  headers: [name: string, value: string][];
  body: Buffer;
  sourceIp: string;
}

/** A response to send; a header that is there several times is sent several times. */
export interface HttpResponse {
  statusCode: number;
  headers: [name: string, value: string][];
  body: string | Buffer;
}
