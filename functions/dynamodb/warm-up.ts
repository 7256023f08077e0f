import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Duplex } from 'node:stream';
import { createSecureContext } from 'node:tls';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { logError } from '../log.ts';

/**
 * Returns a request handler of the SDK that gets the same answer to every request from memory. Only
 * the connection is not real, so that Node's HTTP client is warmed up too.
 */
function handlerInMemory(answer: object): NodeHttpHandler {
  const body = JSON.stringify(answer);
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
 * Warms up: makes a call to the database, to which `answer` is the answer, without sending it. Call
 * it while Lambda initializes the function, because the CPU is not throttled then. Never rejects,
 * because the function works without it too.
 */
export async function warmUpClient(
  { config }: DynamoDBDocumentClient,
  answer: object,
  call: () => Promise<unknown>,
): Promise<void> {
  const { requestHandler } = config;
  config.requestHandler = handlerInMemory(answer);
  try {
    // The first TLS context parses the certificates that Node trusts.
    createSecureContext();
    await call();
  } catch (error) {
    logError('PRIMING_FAILED', {}, error);
  } finally {
    config.requestHandler = requestHandler;
  }
}
