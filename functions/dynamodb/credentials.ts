// Stands in for the SDK's chain of credentials (SSO, profiles, web identity) in bundles, because
// Lambda puts credentials into the environment. lib/store-function.ts says so to esbuild.
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
