import { timingSafeEqual } from 'node:crypto';
import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { authorizationPattern } from '../contract/access-token.ts';
import { logInfo } from '../log.ts';
import { policyFor } from './policy.ts';
import { type AccessTokenRecord, statusOf } from './record.ts';
import { digest, tokenId } from './token.ts';

type Find = (id: string) => Promise<AccessTokenRecord | undefined>;
type Refusal = 'malformed' | 'mistyped' | 'unknown' | 'wrong' | 'revoked' | 'expired';

const pattern = new RegExp(authorizationPattern);
const noDigest = Buffer.alloc(32);

/**
 * Judges the bearer token of a TOKEN authorizer event. Rejects with Unauthorized, whatever is wrong with the token: only the log tells why.
 * Rejects with the SDK's error where the token could not be looked up.
 */
export const authorizer =
  (find: Find, now: () => number = Date.now) =>
  async ({
    authorizationToken,
    methodArn,
  }: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    if (!pattern.test(authorizationToken)) throw refused('malformed');
    const token = authorizationToken.slice(authorizationToken.lastIndexOf(' ') + 1);
    const id = tokenId(token);
    if (id === undefined) throw refused('mistyped');

    const record = await find(id);
    // Compared even when there is no record, so that no timing tells a wrong secret from an unknown id.
    const matches = timingSafeEqual(digest(token), record?.digest ?? noDigest);
    if (!record) throw refused('unknown', id);
    if (!matches) throw refused('wrong', id);
    const status = statusOf(record, now());
    if (status !== 'active') throw refused(status, id);

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

/** What the gateway answers with 401: https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-use-lambda-authorizer.html. */
export class Unauthorized extends Error {
  constructor() {
    super('Unauthorized');
    // Lambda logs it as an error; from where it was thrown would be the same dozen lines each time.
    delete this.stack;
  }
}
