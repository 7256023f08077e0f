import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Duplex } from 'node:stream';
import { createSecureContext } from 'node:tls';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { logError } from '../log.ts';

/**
 * Returns a request handler of the SDK whose connections return the same response to every request.
 * Only the connections are not real, so Node's HTTP client is warmed up too.
 */
function makeHandlerInMemory(responseBody: object): NodeHttpHandler {
  const body = JSON.stringify(responseBody);
  const response = `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const createConnection = () =>
    new Duplex({
      read() {},
      write(_request, _encoding, done) {
        this.push(response);
        done();
      },
    });
  return new NodeHttpHandler({
    httpAgent: Object.assign(new HttpAgent(), { createConnection }),
    httpsAgent: Object.assign(new HttpsAgent(), { createConnection }),
  });
}

/**
 * Makes a call to the database that gets this response body and sends nothing. Returns the call's
 * result. Call this function while Lambda initializes: the CPU is not throttled then. Never
 * rejects, because requests do not need the warm-up.
 */
export async function warmUpClient(
  { config }: DynamoDBDocumentClient,
  responseBody: object,
  call: () => Promise<unknown>,
): Promise<unknown> {
  const { requestHandler } = config;
  config.requestHandler = makeHandlerInMemory(responseBody);
  try {
    // The first TLS context parses the certificates that Node trusts.
    createSecureContext();
    return await call();
  } catch (error) {
    logError('WARM_UP_FAILED', {}, error);
    return undefined;
  } finally {
    config.requestHandler = requestHandler;
  }
}
