import type { APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { attempt } from '../attempt.ts';
import type { FunctionPool } from '../lambda/function-pool.ts';
import { effectOf, type Statement } from '../policy-evaluation.ts';
import { refuse } from '../template/intrinsics.ts';
import type { Properties } from '../template/properties.ts';
import type { Trace } from '../trace.ts';
import type { Refusal } from './error-responses.ts';
import type { GatewayRequest } from './request.ts';

/** What an authorizer's function says of a token. */
interface Verdict {
  principalId: string;
  context: Record<string, string>;
  statements: Statement[];
}

/** What the integration learns of a caller. */
export type AuthorizerContext = Record<string, string | number>;

/** Decides on a call of the method with this ARN. */
export type Authorize = (
  header: GatewayRequest['header'],
  methodArn: string,
  trace: Trace,
) => Promise<{ allowed: AuthorizerContext } | Refusal>;

/**
 * Returns a TOKEN authorizer. It caches the function's answer by token, whatever the path, and
 * evaluates the policy in it for each method's ARN.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-use-lambda-authorizer.html
 */
export function tokenAuthorizer(
  properties: Properties['AWS::ApiGateway::Authorizer'],
  lambda: FunctionPool,
): Authorize {
  const source = properties.IdentitySource.slice('method.request.header.'.length).toLowerCase();
  const expression = javaExpression(properties.IdentityValidationExpression ?? '.*');
  const ttl = (properties.AuthorizerResultTtlInSeconds ?? 300) * 1000;
  /** Its clock is monotonic, because setting back the date would prolong a revoked token's life. */
  const cache = new Map<string, { verdict: Verdict; until: number }>();

  /** Returns the verdict on a token, from the cache or from the function. */
  async function judge(
    authorizationToken: string,
    methodArn: string,
    trace: Trace,
  ): Promise<Verdict | Refusal> {
    const cached = cache.get(authorizationToken);
    if (cached && cached.until > performance.now()) {
      trace.authorizer = 'cached';
      return cached.verdict;
    }
    trace.authorizer = 'asked';
    const event: APIGatewayTokenAuthorizerEvent = { type: 'TOKEN', methodArn, authorizationToken };
    const { payload = '', error } = await lambda.invoke(event, trace);
    if (error?.errorMessage === 'Unauthorized') {
      return { refused: 'UNAUTHORIZED' };
    }
    const verdict = attempt(() => readVerdict(payload));
    if (!verdict) {
      return { refused: 'AUTHORIZER_CONFIGURATION_ERROR' };
    }
    keep(authorizationToken, verdict);
    return verdict;
  }

  /** Caches a verdict, and forgets those that are too old, of which the oldest are the first. */
  function keep(authorizationToken: string, verdict: Verdict): void {
    const now = performance.now();
    for (const [token, { until }] of cache) {
      if (until > now) {
        break;
      }
      cache.delete(token);
    }
    cache.set(authorizationToken, { verdict, until: now + ttl });
  }

  return async function authorize(header, methodArn, trace) {
    const token = header(source);
    trace.identity = token;
    if (!token || !expression.test(token)) {
      return { refused: 'UNAUTHORIZED' };
    }
    const askedAt = performance.now();
    const verdict = await judge(token, methodArn, trace);
    if ('refused' in verdict) {
      return verdict;
    }
    const { principalId, context, statements } = verdict;
    trace.principalId = principalId;
    // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-control-access-using-iam-policies-to-invoke-api.html
    if (effectOf(statements, 'execute-api:Invoke', methodArn) !== 'Allow') {
      return { refused: 'ACCESS_DENIED' };
    }
    const integrationLatency = Math.round(performance.now() - askedAt);
    return { allowed: { ...context, principalId, integrationLatency } };
  };
}

/**
 * Returns the expression as Java's `String.matches` reads it, which must match the whole text.
 * Throws if Java and JavaScript read it differently.
 */
function javaExpression(source: string): RegExp {
  if (/&&|\[[^\]]*\[/.test(source)) {
    refuse('IdentityValidationExpression', `${source}, which Java and JavaScript read differently`);
  }
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
  ) {
    throw new TypeError('Not a verdict.');
  }
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
