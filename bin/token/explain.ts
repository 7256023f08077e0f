import { TokenError } from './administration.ts';
import type { TargetOptions } from './target.ts';

const unreachable = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'TimeoutError',
];
const noCredentials = ['CredentialsProviderError', 'TokenProviderError'];
const badCredentials = [
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
];

/** One line that tells someone at a terminal what went wrong and what to do about it. */
export function explain(
  error: unknown,
  { local, dynamodbEndpoint, stack, profile, region }: TargetOptions,
): string {
  if (error instanceof TokenError) return error.message;
  const { name, message, code } = error as Error & { code?: string };
  if (local) {
    if (unreachable.includes(code ?? name))
      return `No database answers at ${dynamodbEndpoint}: start it with "npm start".`;
    if ('$metadata' in (error as Error))
      return `What answers at ${dynamodbEndpoint} is not the database of an "npm start" (${name}: ${message}).`;
  }
  if (noCredentials.includes(name))
    return `No AWS credentials${profile ? ` for the profile ${profile}` : ''} (${message}): log in, choose others with --profile, or say --local.`;
  if (badCredentials.includes(name))
    return `AWS does not accept the credentials (${message}): log in again, or choose others with --profile.`;
  if (name.startsWith('AccessDenied')) return `AWS does not allow it: ${message}`;
  if (message === 'Region is missing') return 'No AWS region: choose one with --region.';
  if (name === 'ValidationError' && message.includes('does not exist'))
    return `There is no stack ${stack} in ${region ?? 'this region'}: deploy it with "npx cdk deploy", or choose another with --stack or --region.`;
  if (unreachable.includes(code ?? name))
    return `AWS cannot be reached (${message || code}): check the network, and --region.`;
  return `${name}: ${message}`;
}

/** The text with every access token in it cut down to its id, whole or not. */
export const withoutSecrets = (text: string): string =>
  text.replaceAll(/(pst_[0-9A-Za-z]{12}_)[0-9A-Za-z]+/g, '$1…');
