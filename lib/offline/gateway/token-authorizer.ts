import type { APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import type { FunctionPool } from '../lambda/function-pool.ts';
import { effectOf, type Statement } from '../policy-evaluation.ts';
import { attempt, refuse } from '../template/intrinsics.ts';
import type { Properties } from '../template/properties.ts';
import type { Trace } from '../trace.ts';
import type { GatewayRequest } from './request.ts';

type Verdict = { principalId: string; context: Record<string, string>; statements: Statement[] };
export type AuthorizerContext = Record<string, string | number>;

/**
 * Returns a TOKEN authorizer. It caches the function's answer by token, whatever the path, and
 * evaluates the policy in it for each method's ARN. The authorizer returns what the integration
 * learns of the caller, or the type of response that refuses it.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-use-lambda-authorizer.html
 */
export function tokenAuthorizer(
  properties: Properties['AWS::ApiGateway::Authorizer'],
  lambda: FunctionPool,
) {
  const source = properties.IdentitySource.slice('method.request.header.'.length).toLowerCase();
  const expression = javaExpression(properties.IdentityValidationExpression ?? '.*');
  const ttl = (properties.AuthorizerResultTtlInSeconds ?? 300) * 1000;
  /** By the clock that nobody can set back, so that no revoked token lives longer. */
  const cache = new Map<string, { verdict: Verdict; until: number }>();

  async function judge(authorizationToken: string, methodArn: string, trace: Trace) {
    const cached = cache.get(authorizationToken);
    const isCached = cached && cached.until > performance.now();
    trace.authorizer = isCached ? 'cached' : 'asked';
    if (isCached) return cached.verdict;
    const event: APIGatewayTokenAuthorizerEvent = { type: 'TOKEN', methodArn, authorizationToken };
    const { payload = '', error } = await lambda.invoke(event, trace);
    if (error?.errorMessage === 'Unauthorized') return 'UNAUTHORIZED';
    const verdict = attempt(() => readVerdict(payload));
    if (!verdict) return 'AUTHORIZER_CONFIGURATION_ERROR';
    const now = performance.now();
    for (const [token, { until }] of cache) {
      if (until > now) break;
      cache.delete(token);
    }
    cache.set(authorizationToken, { verdict, until: now + ttl });
    return verdict;
  }

  return async (header: GatewayRequest['header'], methodArn: string, trace: Trace) => {
    const token = header(source);
    trace.identity = token;
    if (!token || !expression.test(token)) return 'UNAUTHORIZED';
    const askedAt = performance.now();
    const verdict = await judge(token, methodArn, trace);
    if (typeof verdict === 'string') return verdict;
    trace.principalId = verdict.principalId;
    // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-control-access-using-iam-policies-to-invoke-api.html
    if (effectOf(verdict.statements, 'execute-api:Invoke', methodArn) !== 'Allow')
      return 'ACCESS_DENIED';
    const integrationLatency = Math.round(performance.now() - askedAt);
    return { ...verdict.context, principalId: verdict.principalId, integrationLatency };
  };
}

/**
 * Returns the expression as Java's `String.matches` reads it, which must match the whole text.
 * Throws if Java and JavaScript read it differently.
 */
function javaExpression(source: string): RegExp {
  if (/&&|\[[^\]]*\[/.test(source))
    refuse('IdentityValidationExpression', `${source}, which Java and JavaScript read differently`);
  return new RegExp(`^(?:${source})$`, 'su');
}

/**
 * Reads the answer of an authorizer's function. Throws if it is malformed, for example if `context`
 * has an object. A statement with a Condition counts as malformed too.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
function readVerdict(payload: string): Verdict {
  const { principalId, policyDocument, context } = JSON.parse(payload);
  const values = Object.entries(context ?? {});
  const statements: unknown[] = [policyDocument.Statement].flat();
  if (
    typeof principalId !== 'string' ||
    values.some(([, value]) => typeof value === 'object') ||
    !statements.every(isStatement)
  )
    throw new TypeError('Not a verdict.');
  const texts = Object.fromEntries(values.map(([name, value]) => [name, String(value)]));
  return { principalId, context: texts, statements };
}

function isStatement(statement: unknown): statement is Statement {
  const { Effect, Action, Resource, Sid: _, ...more } = Object(statement);
  return (
    (Effect === 'Allow' || Effect === 'Deny') &&
    [Action, Resource].flat().every((text) => typeof text === 'string') &&
    Object.keys(more).length === 0
  );
}
