import { timingSafeEqual } from 'node:crypto';
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { logInfo } from '../log.ts';
import { authorizationPattern } from '../shared/access-token.ts';
import { policyFor } from './policy.ts';
import { type AccessTokenRecord, statusOf } from './record.ts';
import { digest, tokenId } from './token.ts';

type Find = (id: string) => Promise<AccessTokenRecord | undefined>;
type Refusal = 'malformed' | 'mistyped' | 'unknown' | 'wrong' | 'revoked' | 'expired';

const pattern = new RegExp(authorizationPattern);
const noDigest = Buffer.alloc(32);

/**
 * Judges the bearer token of a TOKEN authorizer event. Rejects every bad token with the same
 * Unauthorized, and only the log says why. Rejects with the SDK's error if the look-up fails.
 */
export const authorizer =
  (find: Find, now: () => number = Date.now) =>
  async ({
    authorizationToken,
    methodArn,
  }: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    if (!pattern.test(authorizationToken)) {
      throw refused('malformed');
    }
    const token = authorizationToken.slice(authorizationToken.lastIndexOf(' ') + 1);
    const id = tokenId(token);
    if (id === undefined) {
      throw refused('mistyped');
    }

    const record = await find(id);
    // Compare without a record too: timing must not tell a wrong secret from an unknown id.
    const matches = timingSafeEqual(digest(token), record?.digest ?? noDigest);
    if (!record) {
      throw refused('unknown', id);
    }
    if (!matches) {
      throw refused('wrong', id);
    }
    const status = statusOf(record, now());
    if (status !== 'active') {
      throw refused(status, id);
    }

    const { owner, scopes } = record;
    logInfo('TOKEN_ACCEPTED', { tokenId: id, owner });
    return {
      principalId: owner,
      policyDocument: policyFor(scopes, methodArn),
      context: { owner, tokenId: id },
    };
  };

function refused(reason: Refusal, id?: string): Unauthorized {
  logInfo('TOKEN_REFUSED', { reason, tokenId: id });
  return new Unauthorized();
}

/**
 * The error whose message makes API Gateway answer 401:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-use-lambda-authorizer.html
 */
export class Unauthorized extends Error {
  constructor() {
    super('Unauthorized');
    // Lambda logs this error. Its stack would be the same dozen lines each time. Do not delete it,
    // because Lambda's client 3.3.0 then reports another message, which is a 503.
    this.stack = '';
  }
}
