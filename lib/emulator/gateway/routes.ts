import type { FunctionPool } from '../lambda/function-pool.ts';
import type { Integration } from '../template/properties.ts';
import { invokes } from '../template/request-path.ts';
import { rootResourceId } from '../template/resource-values.ts';
import type { Template } from '../template/template.ts';
import { type Authorize, tokenAuthorizer } from './token-authorizer.ts';

export interface Route {
  httpMethod: string;
  resourceId: string;
  resourcePath: string;
  authorize: Authorize | undefined;
  integration: Integration;
  /** Undefined for a mock integration. */
  lambda: FunctionPool | undefined;
}

export interface MatchedRoute extends Route {
  pathParameters: Record<string, string>;
}

/** Returns the methods of a REST API. Throws if one refers to a resource that is not there. */
export function readRoutes(
  template: Template,
  restApiId: string,
  pools: ReadonlyMap<string, FunctionPool>,
): Route[] {
  const resources = template.of('AWS::ApiGateway::Resource');
  const poolOf = (uri: string | undefined, logicalId: string): FunctionPool => {
    const pool = [...pools].find(([name]) => invokes(uri, name))?.[1];
    if (!pool) throw new Error(`${logicalId}: the template has no function for ${uri}.`);
    return pool;
  };
  const pathOf = (resourceId: string): string => {
    const { ParentId = '', PathPart = '' } = resources.get(resourceId) ?? {};
    const isAtRoot = ParentId === '' || ParentId === rootResourceId(restApiId);
    return `${isAtRoot ? '' : pathOf(ParentId)}/${PathPart}`;
  };
  const authorizers = new Map<string, Authorize>();
  for (const [logicalId, authorizer] of template.of('AWS::ApiGateway::Authorizer')) {
    authorizers.set(
      logicalId,
      tokenAuthorizer(authorizer, poolOf(authorizer.AuthorizerUri, logicalId)),
    );
  }
  return [...template.of('AWS::ApiGateway::Method')].map(([logicalId, method]) => {
    const {
      HttpMethod: httpMethod,
      ResourceId: resourceId,
      AuthorizationType,
      AuthorizerId = '',
      Integration: integration,
    } = method;
    const authorize = AuthorizationType === 'CUSTOM' ? authorizers.get(AuthorizerId) : undefined;
    if (AuthorizationType === 'CUSTOM' && !authorize)
      throw new Error(`${logicalId}: the template has no authorizer ${AuthorizerId}.`);
    const lambda =
      integration.Type === 'AWS_PROXY' ? poolOf(integration.Uri, logicalId) : undefined;
    return {
      httpMethod,
      resourceId,
      resourcePath: pathOf(resourceId),
      authorize,
      integration,
      lambda,
    };
  });
}

/**
 * Returns the route for a path within the stage, with its parameters as they arrived. A literal
 * segment takes precedence over a parameter, which takes any segment that is not empty. If the best
 * resource lacks the method, no other is tried. A slash at the end changes nothing.
 */
export function findRoute(
  routes: Route[],
  httpMethod: string,
  path: string,
): MatchedRoute | undefined {
  const sent = segmentsOf(path);
  const [best] = routes
    .map((route) => ({ route, score: scoreOf(segmentsOf(route.resourcePath), sent) }))
    .filter(({ score }) => score >= 0)
    .sort((a, b) => b.score - a.score);
  const route = routes.find(
    (other) => other.resourceId === best?.route.resourceId && other.httpMethod === httpMethod,
  );
  if (!route) return undefined;
  const pathParameters: Record<string, string> = {};
  for (const [i, segment] of segmentsOf(route.resourcePath).entries())
    if (isParameter(segment)) pathParameters[segment.slice(1, -1)] = sent[i] ?? '';
  return { ...route, pathParameters };
}

const segmentsOf = (path: string) => path.replace(/\/$/, '').split('/');
const isParameter = (segment: string) => segment.startsWith('{');

/** Returns -1 if the segments do not fit; otherwise more, the earlier they are literal. */
function scoreOf(segments: string[], sent: string[]): number {
  if (segments.length !== sent.length) return -1;
  let score = 0;
  for (const [i, segment] of segments.entries()) {
    if (isParameter(segment) ? sent[i] === '' : segment !== sent[i]) return -1;
    score = 2 * score + Number(!isParameter(segment));
  }
  return score;
}
