import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { TLSSocket } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { type TableName, tableIds, tableKeys } from '../../../functions/shared/table-schema.ts';
import { listen } from '../../../lib/local/listen.ts';
import { certificateFiles } from '../certificate.ts';
import { finallyDo } from '../cleanup.ts';

/** Breaks a connection on which a ClientHello arrived. */
export type HandshakeFault = (socket: Socket) => unknown;

/** Handles a request to the database. */
export type Fault = (exchange: Exchange) => unknown;

interface DatabaseResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Exchange {
  /** The name of its table and its command, like `Plants Query`. */
  access: string;
  /** The owner, or the token's id, that the request is about. */
  subject: string;
  isConsistentRead: boolean;
  /** The time of its signature, by the function's clock. */
  signedAt: number;
  socket: Socket;
  response: ServerResponse;
  /** Passes the request to the database and returns the response. */
  forward(): Promise<DatabaseResponse>;
}

/**
 * Starts a proxy between clients and their database, for the test file. The proxy plays faults, and
 * refuses credentials that AWS would refuse. With `handshakes`, the proxy has TLS, and each
 * connection carries one request. They are the faults of the next handshakes, one each. Without a
 * fault, a handshake succeeds.
 */
export async function startFaultProxy(handshakes?: (HandshakeFault | undefined)[]) {
  let database = '';
  const scripts = new Map<string, Fault[]>();
  let scriptForAll: Fault[] = [];
  const seen = new Map<string, string[]>();

  const server = createServer(async (request, response) => {
    const { headers } = request;
    const socket = belowTls.get(request.socket) ?? request.socket;
    const body = Buffer.concat(await request.toArray());
    const parameters: CommandInput = JSON.parse(`${body}`);
    const [, command = ''] = `${headers['x-amz-target']}`.split('.');
    const subject = findSubject(parameters);
    const commands = seen.get(subject) ?? [];
    seen.set(subject, [...commands, command]);
    // A program sends this first, to see whether the database is a plant store's.
    const isFirst = command === 'DescribeTable';
    const script = isFirst ? [] : (scripts.get(subject) ?? scriptForAll);
    const scripted = (script.length > 1 ? script.shift() : script[0]) ?? pass;
    const fault = refuseSignature(headers) ?? scripted;
    const forward = () => forwardTo(database, headers, body);
    const signedAt = parseTime(`${headers['x-amz-date']}`);
    const access = `${parameters.TableName} ${command}`;
    const isConsistentRead = parameters.ConsistentRead === true;
    try {
      await fault({ access, subject, isConsistentRead, signedAt, socket, response, forward });
    } catch (error) {
      // The client would wait for a response until its test times out.
      socket.destroy();
      throw error;
    }
  });
  const plainOrigin = await listen(server, 0);
  const front = handshakes && makeTlsServer(server, handshakes);
  const origin = front ? (await listen(front, 0)).replace('http:', 'https:') : plainOrigin;
  finallyDo(() => {
    front?.close();
    server.close().closeAllConnections();
  });

  return {
    /** Passes requests to this database from now on. Returns the proxy's own endpoint. */
    before(databaseEndpoint: string): string {
      database = databaseEndpoint;
      return origin;
    },
    /** Returns the commands about an owner or a token, in their order. */
    seen: (subject: string): string[] => seen.get(subject) ?? [],
    /**
     * Sets the faults of the next requests about an owner or a token, one for each. The last fault
     * stays. Without faults, they pass, as all other requests do.
     */
    play(subject: string, ...faults: Fault[]): void {
      scripts.set(subject, faults);
    },
    /** Does the same for all requests about owners and tokens without faults of their own. */
    playForAll(...faults: Fault[]): void {
      scriptForAll = faults;
    },
    /** Whether connections with TLS carry many requests, from the next response on. */
    keepConnections(kept: boolean): void {
      server.maxRequestsPerSocket = kept ? 0 : 1;
    },
    /** Refuses connections while a function runs. Needs TLS. */
    async refuseDuring<T>(act: () => Promise<T>): Promise<T> {
      front?.close();
      server.closeAllConnections();
      try {
        return await act();
      } finally {
        const port = Number(new URL(origin).port);
        await once(front?.listen(port, '127.0.0.1') as TcpServer, 'listening');
      }
    },
  };
}

/** The TCP sockets of TLS connections. A reset of them sends no alert before. */
const belowTls = new WeakMap<Socket, Socket>();

/** Returns a server that passes the connections within TLS on to a server without TLS. */
function makeTlsServer(server: Server, handshakes: (HandshakeFault | undefined)[]): TcpServer {
  const { key, certificate } = certificateFiles;
  const options = { isServer: true, key: readFileSync(key), cert: readFileSync(certificate) };
  server.maxRequestsPerSocket = 1;
  return createTcpServer({ noDelay: true }, (socket) => {
    const fault = handshakes.shift();
    if (fault) {
      socket.on('error', () => {}).once('data', () => fault(socket));
    } else {
      const secure = new TLSSocket(socket, options);
      belowTls.set(secure, socket);
      server.emit('connection', secure);
    }
  });
}

/** Temporary credentials, as Lambda puts them into the environment of a function. */
export const temporaryCredentials = {
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'ASIATEMPORARY',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'token-of-the-session',
};

/** The credentials that the proxy accepts, by their access keys. */
const accepted: Record<string, object> = {
  local: { region: 'us-east-1', sessionToken: undefined },
  ASIATEMPORARY: { region: 'eu-west-1', sessionToken: 'token-of-the-session' },
};

/**
 * Returns the fault with which AWS would refuse the signature of a request, if it would:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
 */
function refuseSignature(headers: IncomingHttpHeaders): Fault | undefined {
  const [, accessKey = '', region, signed = ''] =
    /Credential=(\w+)\/\d+\/([\w-]+)\/dynamodb\/aws4_request, SignedHeaders=([\w;-]+)/.exec(
      `${headers.authorization}`,
    ) ?? [];
  const name = 'x-amz-security-token';
  const sessionToken = signed.split(';').includes(name) ? headers[name] : undefined;
  const isAccepted = isDeepStrictEqual(accepted[accessKey], { region, sessionToken });
  const message = 'The security token included in the request is invalid.';
  return isAccepted ? undefined : fail(400, 'UnrecognizedClientException', {}, message);
}

/** Parses a time like 20260102T030405Z into milliseconds since 1970. */
const parseTime = (basic: string) =>
  Date.parse(basic.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));

type Attributes = Record<string, { S?: string }>;

interface CommandInput {
  /** The same as the table's logical id. */
  TableName: string;
  Item?: Attributes;
  Key?: Attributes;
  ConsistentRead?: boolean;
  KeyConditionExpression?: string;
  /** Of a scan. */
  FilterExpression?: string;
  ExpressionAttributeValues?: Attributes;
}

/** Returns the owner, or the token's id, whose item a command is about. */
function findSubject(command: CommandInput): string {
  const { TableName, Item, Key, ExpressionAttributeValues } = command;
  const [name] = (Object.keys(tableIds) as TableName[]).filter((id) => tableIds[id] === TableName);
  const { partition } = tableKeys[name ?? 'plants'];
  const condition = command.KeyConditionExpression ?? command.FilterExpression;
  // Before the condition of the sort key.
  const [value = ''] = /:\w+/.exec(condition ?? '') ?? [];
  return (Item?.[partition] ?? Key?.[partition] ?? ExpressionAttributeValues?.[value])?.S ?? '';
}

/** Passes a request on to the database. */
async function forwardTo(
  database: string,
  { 'content-length': _, ...headers }: IncomingHttpHeaders,
  body: Buffer,
): Promise<DatabaseResponse> {
  const request = httpRequest(database, { method: 'POST', headers }).end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const {
    statusCode: status = 0,
    headers: { connection: __, ...responseHeaders },
  } = response;
  return { status, headers: responseHeaders, body: Buffer.concat(await response.toArray()) };
}

/** The database executes the command, and then a function handles the response. */
export const executed =
  (become: (response: DatabaseResponse, exchange: Exchange) => unknown) =>
  async (exchange: Exchange) =>
    become(await exchange.forward(), exchange);

export const pass: Fault = executed(({ status, headers, body }, { response }) =>
  response.writeHead(status, headers).end(body),
);

/** Responds instead of the database. */
const respond =
  (status: number, type: string, body: string, headers: Record<string, string> = {}): Fault =>
  ({ response }) =>
    response.writeHead(status, { 'Content-Type': type, ...headers }).end(body);
const json = 'application/x-amz-json-1.0';

export const fail = (
  status: number,
  type: string,
  headers: Record<string, string> = {},
  message = 'a secret of the database',
  members: object = {},
): Fault => {
  const __type = `com.amazonaws.dynamodb.v20120810#${type}`;
  return respond(status, json, JSON.stringify({ __type, message, ...members }), headers);
};

export const throttle = fail(400, 'ThrottlingException');

/** Responds as a load balancer does in front of a service that is down. */
export const html = respond(
  503,
  'text/html',
  '<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>',
);

/** The database responds with this body and status 200. Its work is done or not. */
export const say = (body: string, work: 'done' | 'not done'): Fault => {
  const said = respond(200, json, body);
  return work === 'done' ? executed((_, exchange) => said(exchange)) : said;
};

const maxSkewMs = 5 * 60_000;

/**
 * The database's clock is ahead by at least this many minutes, and by as many more for each further
 * subject, because a client remembers the difference. The database refuses a request whose
 * signature has another time:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/signature-v4-troubleshooting.html
 */
export const skew = (minutes: number): Fault => {
  const subjects = new Set<string>();
  return (exchange) => {
    const { subject, signedAt, response } = exchange;
    subjects.add(subject);
    const now = Date.now() + (1 + [...subjects].indexOf(subject)) * minutes * 60_000;
    const date = new Date(now).toUTCString();
    if (Math.abs(signedAt - now) > maxSkewMs) {
      const message = signedAt < now ? 'Signature expired: …' : 'Signature not yet current: …';
      return fail(400, 'InvalidSignatureException', { date }, message)(exchange);
    }
    return executed(({ status, headers, body }) =>
      response.writeHead(status, { ...headers, date }).end(body),
    )(exchange);
  };
};

/** Resets the connection before the request reaches the database. */
export const reset: Fault = ({ socket }) => socket.resetAndDestroy();

/** The database executes the command, and the response is lost with the connection. */
export const loseResponse: Fault = executed((_, { socket }) => socket.resetAndDestroy());

/** Another caller acts, and then the database executes the command. */
export const passAfter =
  (act: (subject: string) => Promise<unknown>): Fault =>
  async (exchange) => {
    await act(exchange.subject);
    await pass(exchange);
  };

/** The database executes the command. The connection is reset before the end of the response. */
export const breakOff: Fault = executed(({ status, headers, body }, { response, socket }) =>
  response.writeHead(status, headers).write(body.subarray(0, -1), () => socket.resetAndDestroy()),
);

export const resetHandshake: HandshakeFault = (socket) => socket.resetAndDestroy();

export const closeHandshake: HandshakeFault = (socket) => socket.end();

/** Sends the fatal alert handshake_failure (RFC 8446, section 6). */
export const alertInHandshake: HandshakeFault = (socket) =>
  socket.end(Buffer.from([21, 3, 3, 0, 2, 2, 40]));
