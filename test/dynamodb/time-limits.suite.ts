import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { requestHandlerOptions } from '../../functions/dynamodb/client.ts';
import { UnknownOutcome } from '../../functions/dynamodb/errors.ts';
import { HandshakeAgent } from '../../functions/dynamodb/handshake-agent.ts';
import { timeouts } from '../../functions/shared/timeouts.ts';
import { listen } from '../../lib/local/listen.ts';
import { finallyDo } from '../support/cleanup.ts';
import { clock } from '../support/clock/clock.ts';
import { connectTo, origin, put, respondBy, TableName } from './server.ts';

/** Resolves once a client in this process has received the head of a response. */
function responseBegins(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const name = 'http.client.response.finish';
  subscribe(name, function onResponse() {
    unsubscribe(name, onResponse);
    resolve();
  });
  return promise;
}

/** Returns why the first attempt of a put failed. Calls a function once it is sent. */
async function firstFailure(client: DynamoDBDocumentClient, whenSent = () => {}) {
  const failures: string[] = [];
  client.middlewareStack.add(
    (next) => (args) => {
      const sent = next(args);
      whenSent();
      return sent.catch((error) => {
        failures.push(error.message);
        // The SDK does not retry after an AbortError.
        throw Object.assign(error, { name: 'AbortError' });
      });
    },
    { step: 'deserialize', priority: 'low' },
  );
  const put = new PutCommand({ TableName, Item: { id: 1n } });
  await client.send(put).catch(() => {});
  return failures[0];
}

test('the limit of a handshake does not limit the response', async () => {
  // The first byte comes after the limit.
  respondBy(async (_, response) => {
    await clock.advance(1000);
    response.end('{}');
  });
  const client = connectTo(origin);
  const { $metadata } = await client.send(new PutCommand({ TableName, Item: { id: 1n } }));
  expect($metadata.attempts).toBe(1);
});

// An attempt without these limits fails after 1.5 s, with another message.
test('a TLS handshake that hangs fails after one second', async () => {
  const silent = createTcpServer((socket) => socket.once('data', () => clock.advance(1000)));
  finallyDo(() => silent.close());
  const endpoint = await listen(silent, 0);
  const client = connectTo(endpoint.replace('http:', 'https:'));
  const message = await firstFailure(client);
  expect(message).toBe('No TLS connection was established within 1000 ms.');
});

test.each([
  {
    what: 'never begins',
    part: () => clock.advance(1500),
    message: /a request has exceeded the configured 1500 ms requestTimeout/,
    mayStillArrive: true,
  },
  {
    what: 'stops',
    part: async (_: IncomingMessage, response: ServerResponse) => {
      const begun = responseBegins();
      response.write('{');
      await begun;
      await clock.advance(1500);
    },
    message: /the request socket timed out after 1500 ms of inactivity/,
    mayStillArrive: false,
  },
])('a write whose response $what is unknown after 1.5 seconds', async (row) => {
  respondBy(row.part);
  const error = await put().catch((thrown) => thrown);
  expect(error).toBeInstanceOf(UnknownOutcome);
  expect(error.mayStillArrive).toBe(row.mayStillArrive);
  expect(error.cause.message).toMatch(row.message);
});

test('a write that waits for a free connection fails after one second, and is not unknown', async () => {
  expect(new HandshakeAgent(1000).maxSockets).toBe(50);
  const waiting = Promise.withResolvers<void>();
  respondBy(() => waiting.resolve());
  const client = connectTo(origin, {
    credentials: fromEnv(),
    requestHandler: requestHandlerOptions(timeouts, { maxSockets: 1 }),
  });
  const done = new AbortController();
  const get = new GetCommand({ TableName, Key: { id: 1n } });
  const hanging = client.send(get, { abortSignal: done.signal }).catch(() => {});
  await waiting.promise;
  const message = await firstFailure(client, () => void clock.advance(1000));
  done.abort();
  await hanging;
  expect(message).toMatch(/did not establish a connection .* timeout of 1000 ms/);
});
