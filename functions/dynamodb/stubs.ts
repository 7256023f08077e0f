/**
 * Small stand-ins for parts of the SDK that a function never uses. The bundler puts this file in
 * their place (`stubbed` in lib/bundle.ts), because each part costs start time in every cold start.
 *
 * What would break a stub is an SDK release that begins to use the part. It would show in three
 * ways: the build fails if the SDK imports a name that is not here; test/bundles/stubs.test.ts
 * fails if another module imports the part, or if a bundle no longer sends what it sends with the
 * whole SDK; and a stub that is called after all throws an error that names the part.
 */

const neverUsed = (part: string): never => {
  throw new Error(`${part} was left out of this bundle: functions/dynamodb/stubs.ts.`);
};

/**
 * In place of `@aws-sdk/credential-provider-node`, whose chain (SSO, profiles, web identity) is 135
 * KB. Lambda puts credentials into the environment and never changes them there, so they are read
 * once. The session token is empty in `sam local`, which means that there is none.
 */
export function defaultProvider() {
  const {
    AWS_ACCESS_KEY_ID = '',
    AWS_SECRET_ACCESS_KEY = '',
    AWS_SESSION_TOKEN: sessionToken,
  } = process.env;
  const credentials = {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(sessionToken && { sessionToken }),
    // The SDK's code for this source, which it sends to AWS in its User-Agent.
    $source: { CREDENTIALS_ENV_VARS: 'g' },
  };
  return async () => credentials;
}

/**
 * In place of `@aws-sdk/middleware-endpoint-discovery` and its cache, 9 KB. The client asks for
 * both at its creation, but no command of DynamoDB that a function sends discovers its endpoint.
 */
export const resolveEndpointDiscoveryConfig = <Config>(config: Config): Config => config;
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: () => neverUsed('Endpoint discovery'),
};

/**
 * In place of `@smithy/core/event-streams`, 19 KB, which loads zlib. DynamoDB has no event streams.
 */
export class EventStreamSerde {
  constructor() {
    neverUsed('The codec of event streams');
  }
}
export const eventStreamSerdeProvider = () => neverUsed('The codec of event streams');

/**
 * In place of `node:fs/promises`. The SDK looks for settings in ~/.aws, and takes any failure to
 * read for a missing file. A function has no such files: its settings are in the environment.
 */
export const readFile = async () => neverUsed('Reading files');

/**
 * In place of the global `crypto`, which would load WebCrypto for the SDK's one call of
 * `randomUUID`.
 */
export * as crypto from 'node:crypto';
