import { expect, test } from '@jest/globals';
import { markNeverSent, Unavailable, UnknownOutcome } from '../../functions/dynamodb/errors.ts';
import { explain } from '../../lib/administration/explain.ts';

const local = { localhost: true, dynamodbEndpoint: 'URL' } as const;
const deployed = { stack: 'PlantStore' };
const makeError = (message: string, members: object) => Object.assign(new Error(message), members);
const refused = makeError('connect', { code: 'ECONNREFUSED' });

const noDatabase =
  'No database responds at URL. Start it with "npm start", or name its address with --dynamodb-endpoint.';
test.each([
  { error: makeError('slow', { name: 'TimeoutError' }), explained: noDatabase },
  { error: markNeverSent(makeError('', { code: 'ERR_SSL' })), explained: noDatabase },
  { error: new Unavailable('', { cause: refused }), explained: noDatabase },
  {
    error: new UnknownOutcome(true, refused),
    explained: 'UnknownOutcome: It is unknown whether a write took effect.',
  },
  { error: new Unavailable('Others write too.'), explained: 'Unavailable: Others write too.' },
  { error: new TypeError('a\n  bug\u001b'), explained: 'TypeError: a bug\\u001b' },
])('with a local database, $error is explained as $explained', ({ error, explained }) => {
  expect(explain(error, local)).toBe(explained);
});

test.each([
  ...['ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'].map((code) => ({
    error: makeError('no network', { code }),
    explained: 'AWS cannot be reached (no network). Check the network and --region.',
  })),
  {
    // Node tried several addresses.
    error: makeError('', { code: 'ETIMEDOUT' }),
    explained: 'AWS cannot be reached (ETIMEDOUT). Check the network and --region.',
  },
  // As DynamoDB and CloudFormation send them.
  ...[
    'ExpiredToken',
    'ExpiredTokenException',
    'InvalidClientTokenId',
    'InvalidSignatureException',
    'SignatureDoesNotMatch',
    'UnrecognizedClientException',
  ].map((name) => ({
    error: makeError('not yours', { name }),
    explained:
      'AWS does not accept the credentials (not yours). Log in again, or choose others with --profile.',
  })),
  {
    // AWS responded.
    error: makeError('later', { name: 'ServiceUnavailable', $metadata: { httpStatusCode: 503 } }),
    explained: 'ServiceUnavailable: later',
  },
  {
    error: makeError('not allowed', { name: 'AccessDeniedException' }),
    explained: 'AWS denied access (not allowed). Choose other credentials with --profile.',
  },
  {
    error: makeError('1 error detected', { name: 'ValidationError' }),
    explained: 'ValidationError: 1 error detected',
  },
  { error: makeError('/x does not exist', {}), explained: '/x does not exist' },
])('with a stack, $error is explained as $explained', ({ error, explained }) => {
  expect(explain(error, deployed)).toBe(explained);
});
