/**
 * Credentials as Lambda hands them out: in the environment. The bundler puts this in the place of `@aws-sdk/credential-provider-node`,
 * whose chain (SSO, profiles, web identity: 135 KB) a function never gets to use.
 * An empty session token, as `sam local` sets it, is none.
 */
export const defaultProvider = () => async () => ({
  accessKeyId: process.env.AWS_ACCESS_KEY_ID ?? '',
  secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY ?? '',
  ...(process.env.AWS_SESSION_TOKEN && { sessionToken: process.env.AWS_SESSION_TOKEN }),
});
