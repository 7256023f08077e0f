import { Agent, type AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { markNeverSent } from './errors.ts';

type CreateConnection = Agent['createConnection'];

/**
 * An HTTPS agent that limits the time to establish a connection, with its TLS handshake and a
 * tunnel through a proxy, and marks the errors of connections that were not established.
 */
export class HandshakeAgent extends Agent {
  readonly #limitMs: number;

  constructor(limitMs: number, options: AgentOptions = {}) {
    // As the SDK's own agent.
    super({ keepAlive: true, maxSockets: 50, ...options });
    this.#limitMs = limitMs;
  }

  override createConnection(
    options: Parameters<CreateConnection>[0],
    callback: (error: Error | null, stream: Duplex) => void,
  ): Duplex {
    const socket = super.createConnection(options, (error, tunnel) => {
      // Called for tunnels only.
      stop();
      callback(error && markNeverSent(error), tunnel);
    }) as Duplex;
    const timer = setTimeout(() => {
      const message = `No TLS connection was established within ${this.#limitMs} ms.`;
      socket.destroy(new Error(message));
    }, this.#limitMs);
    const stop = (): void => {
      clearTimeout(timer);
      socket.off('error', markNeverSent);
    };
    // Node's HTTP client adds its own listener later, so the SDK gets marked errors.
    socket.on('error', markNeverSent);
    return socket.once('secureConnect', stop).once('close', stop);
  }
}
