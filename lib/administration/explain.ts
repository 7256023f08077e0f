import { isTransientError } from '@smithy/core/retry';
import { Unavailable, UnknownOutcome } from '../../functions/dynamodb/errors.ts';
import { CommandError, formatError } from '../command-line/command-error.ts';
import { defaultEndpoint } from '../command-line/default-ports.ts';
import { escapeControls } from '../command-line/escape-controls.ts';
import { AdministrationError } from '../tokens/tokens.ts';
import type { LocalTarget, StackTarget, TargetOptions } from './target-options.ts';

/** Errors of DynamoDB, which end in Exception, and of CloudFormation. */
const badCredentials = [
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
];

/**
 * Returns one line with the problem and its solution. Escapes characters that a terminal would
 * obey, because the database or AWS may have sent parts of the line.
 */
export function explain(error: unknown, options: TargetOptions): string {
  return escapeControls(describeError(error, options).replaceAll(/\s*\n\s*/g, ' '));
}

function describeError(error: unknown, options: TargetOptions): string {
  if (error instanceof CommandError || error instanceof AdministrationError) {
    return error.message;
  }
  if (error instanceof Unavailable && !(error instanceof UnknownOutcome) && error.cause) {
    return describeError(error.cause, options);
  }
  const explained = options.localhost
    ? explainLocal(error as SdkError, options)
    : explainStack(error as SdkError, options);
  return explained ?? formatError(error as Error);
}

type SdkError = Parameters<typeof isTransientError>[0] & {
  $response?: { headers: { server?: string } };
};

/** Returns whether an error of the SDK means that nothing responded. */
const isUnreachable = (error: SdkError): boolean =>
  !(error instanceof Unavailable) &&
  error.$metadata?.httpStatusCode === undefined &&
  isTransientError(error);

function explainLocal(
  error: SdkError,
  { dynamodbEndpoint: endpoint = defaultEndpoint }: LocalTarget,
): string | undefined {
  if (isUnreachable(error)) {
    return (
      `No database responds at ${endpoint}. Start it with "npm start", or name its address with ` +
      '--dynamodb-endpoint.'
    );
  }
  const { name, message, $metadata, $response } = error;
  if ($metadata === undefined) {
    return undefined;
  }
  const response =
    error instanceof SyntaxError
      ? [$metadata.httpStatusCode, $response?.headers.server].filter(Boolean).join(' from ')
      : `${name}: ${message}`;
  return (
    `The server at ${endpoint} is not the database of an "npm start" (${response}). Name another ` +
    'with --dynamodb-endpoint.'
  );
}

function explainStack(
  error: SdkError & { code?: string; path?: string },
  { stack, profile, region }: StackTarget,
): string | undefined {
  const { name, message, code, path } = error;
  if (path !== undefined && path === process.env.AWS_WEB_IDENTITY_TOKEN_FILE) {
    return `Cannot read the AWS credentials: ${message}. Correct AWS_WEB_IDENTITY_TOKEN_FILE.`;
  }
  if (name === 'CredentialsProviderError') {
    return (
      `There are no AWS credentials${profile ? ` for the profile ${profile}` : ''} (${message}). ` +
      'Log in, or choose others with --profile.'
    );
  }
  if (badCredentials.includes(name)) {
    return (
      `AWS does not accept the credentials (${message}). Log in again, or choose others with ` +
      '--profile.'
    );
  }
  if (name.startsWith('AccessDenied')) {
    return `AWS denied access (${message}). Choose other credentials with --profile.`;
  }
  if (name === 'ValidationError' && message.includes('does not exist')) {
    return (
      `There is no stack ${stack} in ${region ?? 'this region'}. Deploy it with ` +
      '"npx cdk deploy", or choose another with --stack or --region.'
    );
  }
  if (isUnreachable(error)) {
    return `AWS cannot be reached (${message || code}). Check the network and --region.`;
  }
  return undefined;
}
