import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';

/** DynamoDB is unavailable. The same call may succeed later. */
export class Unavailable extends Error {
  override name = 'Unavailable';
  /** Marks the error as transient, so that the SDK retries reads. */
  readonly $retryable = {};
}

/** The response to a write was lost. The write may have taken effect. */
export class UnknownOutcome extends Unavailable {
  override name = 'UnknownOutcome';
  /** Whether the request may reach DynamoDB after this error. */
  readonly mayStillArrive: boolean;
  /** The error of a read that was to settle the outcome. */
  readError?: unknown;

  constructor(mayStillArrive: boolean, cause: unknown) {
    super('It is unknown whether a write took effect.', { cause });
    this.mayStillArrive = mayStillArrive;
  }
}

/** Marks an error as one before which no request was sent, and makes the SDK retry. */
export const markNeverSent = (error: Error): Error & { neverSent: true } =>
  Object.assign(error, { neverSent: true as const, $retryable: {} });

export type AttemptError = Error & {
  code?: string;
  syscall?: string;
  /** No request was sent. */
  neverSent?: true;
  $metadata?: { httpStatusCode?: number };
};

/**
 * Returns `UnknownOutcome` for an error after which a write may have taken effect, `Unavailable` if
 * the response to a read is unreadable, and any other error itself.
 */
export function classify(error: AttemptError, isWrite: boolean): Error {
  if (hasNotConnected(error)) {
    return markNeverSent(error);
  }
  const { name, code = '', $metadata: { httpStatusCode: status } = {} } = error;
  const hasResponse = status !== undefined;
  if (!isWrite) {
    // A body that is no JSON object is a SyntaxError. Members of other types make the SDK throw a
    // TypeError.
    const succeeded = hasResponse && status < 400;
    return succeeded && ['SyntaxError', 'TypeError'].includes(name)
      ? new Unavailable('The response of DynamoDB is unreadable.', { cause: error })
      : error;
  }
  const isRejected = hasResponse && status >= 400 && status < 500;
  if (isRejected || name === 'AbortError') {
    return error;
  }
  const hasEnded = hasResponse || ['ECONNRESET', 'EPIPE'].includes(code);
  const mayStillArrive = !hasEnded;
  return new UnknownOutcome(mayStillArrive, error);
}

function hasNotConnected({ neverSent, code, syscall = '', message }: AttemptError): boolean {
  return (
    neverSent === true ||
    ['connect', 'getaddrinfo'].includes(syscall) ||
    // If a name has several addresses, the error has no system call.
    code === 'ECONNREFUSED' ||
    // The SDK's own timeout for connections has no code.
    message.includes('did not establish a connection')
  );
}

type SdkError = Parameters<typeof isTransientError>[0];

/** Whether DynamoDB throttles, is slow or is unreachable. A retry may succeed. */
export function isUnavailable(error: unknown): boolean {
  return [isThrottlingError, isTransientError, isServerError].some(
    (holds) => error instanceof Error && holds(error as SdkError),
  );
}
