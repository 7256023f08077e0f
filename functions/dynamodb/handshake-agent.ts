import { Agent } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { markNeverSent } from './errors.ts';

/**
 * An HTTPS agent that marks the errors of connections whose TLS handshake did not succeed. The SDK
 * limits the time of the TCP connection only: this agent limits that of both.
 */
export class HandshakeAgent extends Agent {
  readonly #limitMs: number;

  constructor(limitMs: number) {
    // As the SDK's own agent.
    super({ keepAlive: true, maxSockets: 50 });
    this.#limitMs = limitMs;
  }

  override createConnection(...args: Parameters<Agent['createConnection']>): TLSSocket {
    const socket = super.createConnection(...args) as TLSSocket;
    const timer = setTimeout(() => {
      const message = `No TLS connection was established within ${this.#limitMs} ms.`;
      socket.destroy(Object.assign(new Error(message), { code: 'ETIMEDOUT' }));
    }, this.#limitMs);
    const stop = () => {
      clearTimeout(timer);
      socket.off('error', markNeverSent);
    };
    // Node's HTTP client adds its own listener later, so the SDK gets marked errors.
    socket.on('error', markNeverSent);
    return socket.once('secureConnect', stop).once('close', stop);
  }
}
