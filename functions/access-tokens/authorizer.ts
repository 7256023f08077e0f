import { timingSafeEqual } from 'node:crypto';
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { logInfo } from '../log.ts';
import { authorizationPattern } from '../shared/token-form.ts';
import { makePolicy } from './policy.ts';
import { findDigest, formatTime, getStatus, parseAccess, type TokenItem } from './record.ts';
import { digestToken, findTokenId } from './token.ts';

type Find = (id: string) => Promise<TokenItem | undefined>;
type Refusal = 'malformed' | 'mistyped' | 'unknown' | 'damaged' | 'wrong' | 'revoked' | 'expired';

const pattern = new RegExp(authorizationPattern);
const noDigest = Buffer.alloc(32);

/**
 * Checks the bearer token of a TOKEN authorizer event. Throws the same Unauthorized for every bad
 * token; only the log has the reason. Throws another error if the look-up fails, or if the record
 * of a valid token is damaged.
 */
export async function authorize(
  { authorizationToken, methodArn }: APIGatewayTokenAuthorizerEvent,
  find: Find,
  now: () => number = Date.now,
): Promise<APIGatewayAuthorizerResult> {
  if (!pattern.test(authorizationToken)) {
    throw refuse('malformed');
  }
  const token = authorizationToken.slice(authorizationToken.lastIndexOf(' ') + 1);
  const id = findTokenId(token);
  if (id === undefined) {
    throw refuse('mistyped');
  }

  const item = await find(id);
  const stored = item && findDigest(item);
  // Compare without a digest too: timing must not tell a wrong secret from an unknown id.
  const matches = timingSafeEqual(digestToken(token), stored ?? noDigest);
  if (!item) {
    throw refuse('unknown', id);
  }
  if (!stored) {
    throw refuse('damaged', id);
  }
  if (!matches) {
    throw refuse('wrong', id);
  }
  const { owner, scopes, expires, revoked } = parseAccess(item);
  const status = getStatus({ expires, revoked }, now());
  if (status !== 'active') {
    throw refuse(status, id);
  }

  logInfo('TOKEN_ACCEPTED', { tokenId: id, owner });
  return {
    principalId: owner,
    policyDocument: makePolicy(scopes, methodArn),
    context: {
      owner,
      tokenId: id,
      ...(expires !== undefined && { expires: formatTime(expires) }),
    },
  };
}

function refuse(reason: Refusal, id?: string): Unauthorized {
  logInfo('TOKEN_REFUSED', { reason, tokenId: id });
  return new Unauthorized();
}

/**
 * An error whose message makes API Gateway respond with 401:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-use-lambda-authorizer.html
 */
export class Unauthorized extends Error {
  constructor() {
    super('Unauthorized');
    // Lambda logs this error, and its stack would be the same dozen lines each time. Without a
    // `stack`, Lambda's client 3.3.0 reports another message, which becomes a 503.
    this.stack = '';
  }
}
