import { randomBytes } from 'node:crypto';

/** What happens to a request on its way through the gateway and the functions. */
export interface Trace {
  /** The SDK sends it with every call that a function makes for this request. */
  readonly id: string;
  /** The resource of the request's route, like `/plants/{id}`. */
  resourcePath?: string;
  /** The header by which the authorizer knows the caller. It may hold a secret. */
  identity?: string | undefined;
  /** Whether the authorizer's function was called, or its answer came from the cache. */
  authorizer?: 'asked' | 'cached';
  /** The caller, as the authorizer says. */
  principalId?: string;
  /** How many invocations have ended, and how many of them waited for an environment to start. */
  invocations: number;
  coldStarts: number;
}

/**
 * https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
 */
export function newTrace(): Trace {
  const seconds = Math.floor(Date.now() / 1000).toString(16);
  const unique = randomBytes(12).toString('hex');
  return { id: `Root=1-${seconds}-${unique}`, invocations: 0, coldStarts: 0 };
}
