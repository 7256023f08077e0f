import { createHash, createHmac, createSecretKey, type Hash, type Hmac } from 'node:crypto';

/**
 * Small stand-ins for parts of the SDK that a function hardly uses. The bundler puts this file in
 * their place (`stubbed` in lib/bundle.ts), because each part costs time in every cold start. Each
 * stub says how much longer loading and the first call took without it.
 *
 * An SDK release that begins to use a part would show. test/bundles/start.test.ts fails if another
 * module imports it, and stubs.test.ts if a bundle no longer sends what the whole SDK sends. A stub
 * that no function calls throws an error that names its part.
 */

const neverUsed = (part: string): never => {
  throw new Error(`${part} was left out of this bundle: functions/dynamodb/stubs.ts.`);
};

/**
 * In place of `@aws-sdk/credential-provider-node`, whose chain (SSO, profiles, web identity) is 135
 * KB: 1.29 times as long. Lambda puts credentials into the environment and never changes them
 * there, so they are read once. An empty session token, as `sam local` sets it, is left out.
 */
export function defaultProvider(): () => Promise<Credentials> {
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = process.env;
  const credentials = {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
    // The SDK's code for this source, which it sends to AWS in its User-Agent.
    $source: { CREDENTIALS_ENV_VARS: 'g' },
  };
  return async () => credentials;
}

interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  $source: Record<string, string>;
}

/**
 * In place of `@smithy/core/checksum`, 4 KB: 1.01 times. It hands keys to Node as bytes, for which
 * Node 24 throws and catches two errors: a later call took 1.03 times as long. The SDK calls this
 * with `new`, and gets an object of Node, which has the same methods.
 */
export function Sha256(key?: string | Uint8Array): Hash | Hmac {
  return key ? createHmac('sha256', createSecretKey(Buffer.from(key))) : createHash('sha256');
}

/**
 * In place of `@smithy/core/event-streams`, 19 KB, which loads zlib: 1.09 times. DynamoDB has none.
 */
export class EventStreamSerde {
  constructor() {
    neverUsed('The codec of event streams');
  }
}
export const eventStreamSerdeProvider = (): never => neverUsed('The codec of event streams');

/**
 * In place of `@smithy/core/config`, which looks for each setting in the environment and then in
 * ~/.aws, with a promise and an error for each that is not set: 1.11 times. A function has no such
 * files.
 */
export const loadConfig =
  <T>({ environmentVariableSelector, default: initial }: Setting<T>, options?: unknown) =>
  async (): Promise<T> =>
    environmentVariableSelector(process.env, options) ??
    (initial instanceof Function ? initial() : initial);

interface Setting<T> {
  environmentVariableSelector(env: NodeJS.ProcessEnv, options?: unknown): T | undefined;
  default: T | (() => T | Promise<T>);
}

// Like the SDK, ignore a value that is neither true nor false.
export const booleanSelector = (env: NodeJS.ProcessEnv, name: string): true | undefined =>
  env[name] === 'true' ? true : undefined;
const flag = (name: string): Setting<boolean> => ({
  environmentVariableSelector: (env) => booleanSelector(env, name),
  default: false,
});
export const NODE_USE_DUALSTACK_ENDPOINT_CONFIG_OPTIONS = flag('AWS_USE_DUALSTACK_ENDPOINT');
export const NODE_USE_FIPS_ENDPOINT_CONFIG_OPTIONS = flag('AWS_USE_FIPS_ENDPOINT');
export const NODE_REGION_CONFIG_OPTIONS: Setting<string> = {
  environmentVariableSelector: (env) => env[REGION_ENV_NAME],
  default: () => neverUsed('A region that is not in the environment'),
};
export const NODE_REGION_CONFIG_FILE_OPTIONS = {};
export const REGION_ENV_NAME = 'AWS_REGION';
export const REGION_INI_NAME = 'region';
export const SelectorType = { ENV: 'env', CONFIG: 'shared config entry' };
export const CONFIG_PREFIX_SEPARATOR = '.';
export class ProviderError extends Error {}
export const resolveDefaultsModeConfig = () =>
  loadConfig({ environmentVariableSelector: (env) => env.AWS_DEFAULTS_MODE, default: 'legacy' });
type RegionConfig = { region: unknown; useFipsEndpoint: unknown };
export const resolveRegionConfig = <C extends RegionConfig>(config: C) => {
  const region = provider(config.region);
  const useFipsEndpoint = provider(config.useFipsEndpoint);
  return Object.assign(config, { region, useFipsEndpoint });
};
const provider = (value: unknown) => (typeof value === 'function' ? value : async () => value);

/**
 * In place of the global `crypto`, which would load WebCrypto for the SDK's one call of
 * `randomUUID`: 1.01 times.
 */
export * as crypto from 'node:crypto';
