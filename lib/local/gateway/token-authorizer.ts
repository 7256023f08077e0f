import type { APIGatewayAuthorizerResult, PolicyDocument } from 'aws-lambda';
import type { GatewayResponseType } from '../../../functions/shared/gateway-responses.ts';
import { authorizer } from '../../../functions/shared/operations.ts';
import { authorizationPattern } from '../../../functions/shared/token-form.ts';
import type { CallFunction } from '../runtime/functions.ts';
import type { Failure } from '../runtime/messages.ts';

/** Whether a token may call a method. If not, the gateway response to send. */
type Judgement = { allowed: APIGatewayAuthorizerResult } | { refused: GatewayResponseType };

export type Verdict = Judgement & {
  /** The lines that the authorizer logged, as JSON. */
  log: string[];
  /** The error, if the authorizer failed. */
  failure?: Failure | undefined;
};

export interface TokenAuthorizer {
  /** Checks an Authorization header. */
  authorize(token: string | undefined, methodArn: string): Promise<Verdict>;
  /** Empties the cache, because the authorizer's code has changed. */
  forget(): void;
}

const tokenForm = new RegExp(authorizationPattern);

/**
 * Calls the authorizer and caches its policies by token, as API Gateway does. A policy covers all
 * methods, so it is evaluated for each request.
 */
export function tokenAuthorizer(call: CallFunction, cacheSeconds: number): TokenAuthorizer {
  const cache = new Map<string, { result: APIGatewayAuthorizerResult; until: number }>();

  async function authorize(token: string | undefined, methodArn: string): Promise<Verdict> {
    if (token === undefined || !tokenForm.test(token)) {
      return { refused: 'UNAUTHORIZED', log: [] };
    }
    const cached = cache.get(token);
    if (cached && performance.now() < cached.until) {
      return { ...judge(cached.result, methodArn), log: [] };
    }

    const event = { type: 'TOKEN', authorizationToken: token, methodArn };
    const { payload, failure, log } = await call(authorizer.entry, event);
    if (failure?.message === 'Unauthorized') {
      return { refused: 'UNAUTHORIZED', log };
    }
    if (failure || payload === undefined) {
      return { refused: 'AUTHORIZER_CONFIGURATION_ERROR', log, failure };
    }
    const result: APIGatewayAuthorizerResult = JSON.parse(payload);
    const judgement = judge(result, methodArn);
    keep(token, result);
    return { ...judgement, log };
  }

  function keep(token: string, result: APIGatewayAuthorizerResult): void {
    const now = performance.now();
    // The entries are in the order of their expiry, or nearly.
    for (const [other, { until }] of cache) {
      if (until > now) {
        break;
      }
      cache.delete(other);
    }
    cache.set(token, { result, until: now + cacheSeconds * 1000 });
  }

  return { authorize, forget: () => cache.clear() };
}

/** Throws if the authorizer's result has no policy. */
function judge(result: APIGatewayAuthorizerResult, methodArn: string): Judgement {
  return isAllowed(result.policyDocument, methodArn)
    ? { allowed: result }
    : { refused: 'ACCESS_DENIED' };
}

interface Statement {
  Effect: 'Allow' | 'Deny';
  Resource: string | string[];
}

/** Evaluates a policy: a Deny takes precedence, and a method without an Allow is denied. */
export function isAllowed(policyDocument: PolicyDocument, methodArn: string): boolean {
  const statements = policyDocument.Statement as Statement[];
  const applying = statements.filter(({ Resource }) =>
    [Resource].flat().some((pattern) => matches(pattern, methodArn)),
  );
  return applying.length > 0 && applying.every(({ Effect }) => Effect === 'Allow');
}

/** Returns whether a text matches an IAM pattern, in which `*` stands for any text. */
export function matches(pattern: string, text: string): boolean {
  const literals = pattern.split('*').map((literal) => RegExp.escape(literal));
  return new RegExp(`^${literals.join('.*')}$`).test(text);
}
