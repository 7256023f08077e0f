import { AdministrationError } from './administration-error.ts';
import { databaseEndpoint, type TargetOptions } from './target-options.ts';

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

/** Returns one line that says what went wrong and what to do about it. */
export function explain(error: unknown, options: TargetOptions): string {
  if (error instanceof AdministrationError) return error.message;
  const { localhost, stack, profile, region } = options;
  const { name, message, code } = error as Error & { code?: string };
  if (localhost) {
    const endpoint = databaseEndpoint(options);
    if (unreachable.includes(code ?? name))
      return (
        `No database answers at ${endpoint}. Start it with "npm start", or choose another with ` +
        '--dynamodb-endpoint.'
      );
    if ('$metadata' in (error as Error))
      return (
        `The server at ${endpoint} is not the database of an "npm start" ` +
        `(${name}: ${message}).`
      );
  }
  if (noCredentials.includes(name))
    return (
      `There are no AWS credentials${profile ? ` for the profile ${profile}` : ''} (${message}). ` +
      'Log in, choose others with --profile, or add --localhost for a running "npm start".'
    );
  if (badCredentials.includes(name))
    return (
      `AWS does not accept the credentials (${message}). Log in again, or choose others with ` +
      '--profile.'
    );
  if (name.startsWith('AccessDenied')) return `AWS does not allow it: ${message}`;
  if (message === 'Region is missing')
    return (
      'No AWS region is chosen. Choose one with --region, or add --localhost for a running ' +
      '"npm start".'
    );
  if (name === 'ValidationError' && message.includes('does not exist'))
    return (
      `There is no stack ${stack} in ${region ?? 'this region'}. Deploy it with ` +
      '"npx cdk deploy", or choose another with --stack or --region.'
    );
  if (unreachable.includes(code ?? name))
    return `AWS cannot be reached (${message || code}). Check the network and --region.`;
  return `${name}: ${message}`;
}
