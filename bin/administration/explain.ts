import { AdministrationError } from './administration-error.ts';
import { databaseEndpoint, type TargetOptions } from './target-options.ts';

const unreachable =
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|TimeoutError)$/;
const badCredentials =
  /^ExpiredToken|^InvalidClientTokenId$|^InvalidSignature|^SignatureDoesNotMatch$|^UnrecognizedClient/;

/** Returns one line that says what went wrong and what to do about it. */
export function explain(error: unknown, options: TargetOptions): string {
  if (error instanceof AdministrationError) return error.message;
  const { localhost, stack, profile, region } = options;
  const { name, message, code } = error as Error & { code?: string };
  const isUnreachable = unreachable.test(code ?? name);
  const endpoint = databaseEndpoint(options);
  const orLocalhost = 'or add --localhost for a running "npm start".';
  if (localhost && isUnreachable)
    return (
      `No database answers at ${endpoint}. Start it with "npm start", or choose another with ` +
      '--dynamodb-endpoint.'
    );
  if (localhost && '$metadata' in (error as Error))
    return `The server at ${endpoint} is not the database of an "npm start" (${name}: ${message}).`;
  if (/^(Credentials|Token)ProviderError$/.test(name))
    return (
      `There are no AWS credentials${profile ? ` for the profile ${profile}` : ''} (${message}). ` +
      `Log in, choose others with --profile, ${orLocalhost}`
    );
  if (badCredentials.test(name))
    return (
      `AWS does not accept the credentials (${message}). Log in again, or choose others with ` +
      '--profile.'
    );
  if (name.startsWith('AccessDenied')) return `AWS does not allow it: ${message}`;
  if (message === 'Region is missing')
    return `No AWS region is chosen. Choose one with --region, ${orLocalhost}`;
  if (name === 'ValidationError' && message.includes('does not exist'))
    return (
      `There is no stack ${stack} in ${region ?? 'this region'}. Deploy it with ` +
      '"npx cdk deploy", or choose another with --stack or --region.'
    );
  if (isUnreachable)
    return `AWS cannot be reached (${message || code}). Check the network and --region.`;
  return `${name}: ${message}`;
}
