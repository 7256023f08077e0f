// Replaces the SDK's chain of credentials in the build of `raw`.
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
