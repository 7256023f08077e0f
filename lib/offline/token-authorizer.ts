import type { APIGatewayAuthorizerResult, PolicyDocument } from 'aws-lambda';
import { authorizationPattern } from '../../functions/shared/access-token.ts';
import type { GatewayResponseType } from '../../functions/shared/gateway-responses.ts';
import type { CallFunction } from './functions.ts';
import type { Failure } from './functions-thread.ts';

/** Whether a token may call a method, and if not, which of the gateway's responses says so. */
export type Verdict =
  | { allowed: APIGatewayAuthorizerResult }
  | { refused: GatewayResponseType; failure?: Failure | undefined };

export interface TokenAuthorizer {
  /** Judges an Authorization header. The lines that the authorizer logs are added to `log`. */
  authorize(token: string | undefined, methodArn: string, log: string[]): Promise<Verdict>;
  /** Empties the cache, because the authorizer's code has changed. */
  forget(): void;
}

const tokenForm = new RegExp(authorizationPattern);

/**
 * Returns what asks the authorizer, and keeps its policies by token as long as API Gateway would.
 * A policy is evaluated for each request anew, because it is for all methods.
 */
export function tokenAuthorizer(call: CallFunction, cacheSeconds: number): TokenAuthorizer {
  const cache = new Map<string, { result: APIGatewayAuthorizerResult; until: number }>();

  async function authorize(
    token: string | undefined,
    methodArn: string,
    log: string[],
  ): Promise<Verdict> {
    if (token === undefined || !tokenForm.test(token)) {
      return { refused: 'UNAUTHORIZED' };
    }
    const cached = cache.get(token);
    if (cached && performance.now() < cached.until) {
      return judge(cached.result, methodArn);
    }

    const event = { type: 'TOKEN', authorizationToken: token, methodArn };
    const { payload, failure, log: lines } = await call('authorize', event);
    log.push(...lines);
    if (failure?.message === 'Unauthorized') {
      return { refused: 'UNAUTHORIZED' };
    }
    if (failure || payload === undefined) {
      return { refused: 'AUTHORIZER_CONFIGURATION_ERROR', failure };
    }
    const result: APIGatewayAuthorizerResult = JSON.parse(payload);
    const verdict = judge(result, methodArn);
    cache.set(token, { result, until: performance.now() + cacheSeconds * 1000 });
    return verdict;
  }

  return { authorize, forget: () => cache.clear() };
}

/** Throws if the authorizer's result has no policy. */
function judge(result: APIGatewayAuthorizerResult, methodArn: string): Verdict {
  return isAllowed(result.policyDocument, methodArn)
    ? { allowed: result }
    : { refused: 'ACCESS_DENIED' };
}

interface Statement {
  Effect: 'Allow' | 'Deny';
  Resource: string | string[];
}

/** Evaluates a policy: a denial takes precedence, and what nothing allows is denied. */
export function isAllowed(policyDocument: PolicyDocument, methodArn: string): boolean {
  const statements = policyDocument.Statement as Statement[];
  const applying = statements.filter(({ Resource }) =>
    [Resource].flat().some((pattern) => matches(pattern, methodArn)),
  );
  return applying.length > 0 && applying.every(({ Effect }) => Effect === 'Allow');
}

/** Tells whether a text matches a pattern of IAM, in which `*` stands for any text. */
function matches(pattern: string, text: string): boolean {
  const literals = pattern.split('*').map((literal) => RegExp.escape(literal));
  return new RegExp(`^${literals.join('.*')}$`, 's').test(text);
}
