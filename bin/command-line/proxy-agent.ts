import { Agent } from 'node:https';
import type { Duplex } from 'node:stream';
import { markNeverSent } from '../../functions/dynamodb/errors.ts';
import { CommandError } from './command-error.ts';

type CreateConnection = Agent['createConnection'];

/**
 * An HTTPS agent that uses the proxy in the environment, as the AWS CLI and CDK do. Like
 * `HandshakeAgent`, it marks the errors of connections that were not established, and limits the
 * time to establish one, the tunnel through the proxy included.
 */
export class ProxyAgent extends Agent {
  readonly #limitMs: number;

  constructor(limitMs: number) {
    // As the SDK's own agent.
    super({ keepAlive: true, maxSockets: 50, proxyEnv: proxyVariables() });
    this.#limitMs = limitMs;
  }

  override createConnection(
    options: Parameters<CreateConnection>[0],
    callback: (error: Error | null, stream: Duplex) => void,
  ): Duplex {
    // Called for tunnels only. Node ignores all calls but the first.
    const finish = (error: Error | null, tunnel: Duplex): void => {
      stop();
      callback(error && markNeverSent(error), tunnel);
    };
    const socket = super.createConnection(options, finish) as Duplex;
    const timer = setTimeout(() => {
      const message = `No TLS connection was established within ${this.#limitMs} ms.`;
      const error = Object.assign(new Error(message), { code: 'ETIMEDOUT' });
      socket.destroy(error);
      finish(error, socket);
    }, this.#limitMs);
    const stop = (): void => {
      clearTimeout(timer);
      socket.off('error', markNeverSent);
    };
    return socket.on('error', markNeverSent).once('secureConnect', stop).once('close', stop);
  }
}

/** Returns the variables for a proxy, as Node's agents read them. */
export function proxyVariables({ env } = process): Record<string, string> {
  const name = ['https_proxy', 'HTTPS_PROXY'].find((name) => env[name]);
  const proxy = name && env[name];
  if (!proxy) {
    return {};
  }
  // The AWS CLI accepts an address without a scheme.
  const url = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    // Do not quote the value, because it may contain a password.
    throw new CommandError(`${name} is not an address like http://proxy.example:3128. Correct it.`);
  }
  return { https_proxy: url, no_proxy: env.no_proxy || env.NO_PROXY || '' };
}
