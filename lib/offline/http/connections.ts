import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const stopTimeoutMs = 10_000;
const lingerMs = 1000;

/**
 * Returns a function that stops an HTTP server. A request that has arrived whole is answered if
 * that takes less than ten seconds. Every other connection closes at once.
 */
export function stopper(server: Server): () => Promise<void> {
  const connections = new Map<Socket, Set<ServerResponse>>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, new Set());
    socket.once('close', () => connections.delete(socket));
  });
  server.prependListener('request', ({ socket }, response) => {
    connections.get(socket)?.add(response);
    response.once('close', () => connections.get(socket)?.delete(response));
  });

  return async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const [socket, responses] of connections) {
      const last = [...responses].findLast(({ req }) => req.complete);
      if (!last) {
        socket.destroy();
        continue;
      }
      socket.pause();
      if (!last.headersSent) {
        last.setHeader('Connection', 'close');
      }
      last.once('close', () => socket.destroySoon());
    }
    const timer = setTimeout(() => server.closeAllConnections(), stopTimeoutMs);
    await closed;
    clearTimeout(timer);
  };
}

/**
 * Reads a request's body, and stops after the chunk that exceeds `maxBytes`. Then `endUnread` has
 * to answer. Rejects if the client disconnects.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  request
    .on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= maxBytes) {
        return;
      }
      request.pause();
      resolve(Buffer.concat(chunks));
    })
    .on('end', () => resolve(Buffer.concat(chunks)))
    .on('close', reject);
  return promise;
}

/**
 * Ends the answer to a request that has not been read to its end, and closes the connection. The
 * client has a second to read the answer, because unread bytes make the closing a reset.
 */
export function endUnread(response: ServerResponse, body: string | Buffer): void {
  response.setHeader('Connection', 'close');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.flushHeaders();
  response.write(body);
  const timer = setTimeout(() => response.end(), lingerMs);
  response.once('close', () => clearTimeout(timer));
}
