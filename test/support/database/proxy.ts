import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** Decides what becomes of a request to the database. */
export type Fault = (exchange: Exchange) => Promise<void> | void;

export interface Exchange {
  /** The owner, or the token's id, that the request is about. */
  subject: string;
  /** The time of its signature, by the function's clock. */
  signedAt: number;
  socket: Socket;
  response: ServerResponse;
  /** Passes the request to the database and returns the answer. */
  forward(): Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>;
}

export interface FaultProxy {
  /** Stands in front of this database from now on. Returns the proxy's own endpoint. */
  before(databaseEndpoint: string): string;
  /** Returns the commands about an owner or a token, in their order. */
  seen(subject: string): string[];
  /**
   * Tells whether a client gave up a command about an owner or a token before its fault had been
   * played, or did not take the answer. The machine is too busy then.
   */
  isCutShort(subject: string): boolean;
  /**
   * Sets the faults of the next requests about an owner or a token, one for each. The last fault
   * stays. All other requests pass.
   */
  play(subject: string, ...faults: Fault[]): void;
  /** Refuses connections from now on. */
  stop(): Promise<void>;
}

/** Starts a proxy that plays faults between functions and their database. */
export async function startFaultProxy(): Promise<FaultProxy> {
  let database = '';
  const scripts = new Map<string, Fault[]>();
  const seen = new Map<string, string[]>();
  const cutShort = new Set<string>();
  /** What the end of a connection means for the last command on it. */
  const atEnd = new WeakMap<Socket, () => void>();

  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const command = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const subject = subjectOf(JSON.parse(body.toString()));
    seen.set(subject, [...(seen.get(subject) ?? []), command]);
    const script = scripts.get(subject) ?? [];
    const fault = (script.length > 1 ? script.shift() : script[0]) ?? pass;
    const forward = () =>
      forwardTo(httpRequest(database, { method: 'POST', headers: request.headers }), body);
    let isPlayed = false;
    if (!atEnd.has(request.socket))
      for (const event of ['end', 'close'])
        request.socket.once(event, () => atEnd.get(request.socket)?.());
    atEnd.set(request.socket, () => {
      const isEarly = !isPlayed && !endless.has(fault);
      if (isEarly || response.writableEnded) cutShort.add(subject);
    });
    const signedAt = timeOf(String(request.headers['x-amz-date']));
    await fault({ subject, signedAt, socket: request.socket, response, forward });
    isPlayed = true;
    if (response.writableEnded && request.socket.destroyed) cutShort.add(subject);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    before(databaseEndpoint) {
      database = databaseEndpoint;
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    seen: (subject) => seen.get(subject) ?? [],
    isCutShort: (subject) => cutShort.has(subject),
    play: (subject, ...faults) => void scripts.set(subject, faults),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Parses a time like 20260102T030405Z into milliseconds since 1970. */
const timeOf = (basic: string) =>
  Date.parse(basic.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));

/** Returns the owner, or the token's id, whose item a command is about. */
function subjectOf({
  Item,
  Key,
  ExpressionAttributeValues,
}: Record<string, Record<string, { S: string }>>): string {
  const [attribute] = [
    Item?.owner,
    Key?.owner,
    ExpressionAttributeValues?.[':owner'],
    Key?.id,
  ].filter(Boolean);
  return attribute?.S ?? '';
}

async function forwardTo(request: ClientRequest, body: Buffer) {
  request.end(body);
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    body: Buffer.concat(await answer.toArray()),
  };
}

export const pass: Fault = async ({ response, forward }) => {
  const { status, headers, body } = await forward();
  response.writeHead(status, headers).end(body);
};

/** Answers with an error instead of the database. */
export const fail =
  (
    status: number,
    type: string,
    headers: Record<string, string> = {},
    message = 'a secret of the database',
  ): Fault =>
  ({ response }) => {
    const body = JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message });
    response
      .writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0', ...headers })
      .end(body);
  };

export const throttle = fail(400, 'ThrottlingException');

/** Answers as a load balancer does in front of a service that is down. */
export const html: Fault = ({ response }) =>
  void response
    .writeHead(503, { 'Content-Type': 'text/html' })
    .end('<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>');

/** The database executes the command, and its answer comes in parts, with pauses between them. */
const inParts =
  (parts: number, pauseMs: number): Fault =>
  async ({ response, forward }) => {
    const { status, headers, body } = await forward();
    response.writeHead(status, headers);
    const size = Math.ceil(body.length / parts);
    for (let start = 0; start < body.length && !response.destroyed; start += size) {
      await setTimeout(pauseMs);
      response.write(body.subarray(start, start + size));
    }
    response.end();
  };
export const slow = inParts(5, 100);

/**
 * The database executes the command, and its answer goes on for longer than a function may take,
 * without a pause for which the client would give up.
 */
export const crawl: Fault = async ({ subject, response, forward }) => {
  const isAgain = crawled.has(subject);
  crawled.add(subject);
  const { status, headers } = await forward();
  const { 'content-length': _, ...others } = headers;
  response.writeHead(status, others);
  while (!response.destroyed) {
    response.write(' ');
    await setTimeout(100);
  }
  // The client has given up, for a pause that only a busy machine makes.
  if (isAgain) response.end();
};
const crawled = new Set<string>();

const maxSkewMs = 5 * 60_000;

/**
 * The database's clock is at least so many minutes ahead, and for each further subject as many
 * again, because a client remembers the difference between the clocks. It refuses a request whose
 * signature has another time:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/signature-v4-troubleshooting.html
 */
export const skew = (minutes: number): Fault => {
  const subjects = new Set<string>();
  return async (exchange) => {
    const { subject, signedAt, response, forward } = exchange;
    subjects.add(subject);
    const times = 1 + [...subjects].indexOf(subject);
    const now = Date.now() + times * minutes * 60_000;
    const date = { Date: new Date(now).toUTCString() };
    if (Math.abs(signedAt - now) > maxSkewMs) {
      const message = signedAt < now ? 'Signature expired: …' : 'Signature not yet current: …';
      return fail(400, 'InvalidSignatureException', date, message)(exchange);
    }
    const { status, headers, body } = await forward();
    response.writeHead(status, { ...headers, date: date.Date }).end(body);
  };
};

/** Resets the connection before the request reaches the database. */
export const reset: Fault = ({ socket }) => void socket.resetAndDestroy();

/** Accepts the request and never answers. */
export const hang: Fault = () => {};

/** The database executes the command, and the answer is lost with the connection. */
export const loseAnswer: Fault = async ({ socket, forward }) => {
  await forward();
  socket.resetAndDestroy();
};

/** The database executes the command, and the answer never comes. */
export const swallowAnswer: Fault = async ({ forward }) => {
  await forward();
};

/** The database executes the command, and its answer never begins, although bytes arrive. */
export const drip: Fault = async ({ socket, forward }) => {
  await forward();
  socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
  while (!socket.destroyed) {
    await setTimeout(100);
    socket.write('.');
  }
};

/** The client ends these. */
const endless = new Set([crawl, drip]);

/** The database executes the command, and its answer stops before the end. */
export const stall: Fault = async ({ response, forward }) => {
  const { status, headers, body } = await forward();
  response.writeHead(status, headers).write(body.subarray(0, -1));
};

/** The database executes the command, and the connection is reset before the answer's end. */
export const breakOff: Fault = async ({ socket, response, forward }) => {
  const { status, headers, body } = await forward();
  response.writeHead(status, headers).write(body.subarray(0, -1), () => socket.resetAndDestroy());
};

/** The database's answer is this body, with status 200. Its work is done or not. */
export const say =
  (body: string, work: 'done' | 'not done'): Fault =>
  async ({ response, forward }) => {
    if (work === 'done') await forward();
    response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.0' }).end(body);
  };
