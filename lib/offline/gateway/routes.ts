import type { FunctionPool } from '../lambda/function-pool.ts';
import { refuse } from '../template/intrinsics.ts';
import { invokes } from '../template/reachable-resources.ts';
import { rootResourceId } from '../template/resource-values.ts';
import type { Template } from '../template/template.ts';
import { tokenAuthorizer } from './token-authorizer.ts';

export type Route = ReturnType<typeof readRoutes>[number];
export type Pools = ReadonlyMap<string, FunctionPool>;
export type MatchedRoute = NonNullable<ReturnType<typeof findRoute>>;

/**
 * Returns the methods of a REST API in their order of precedence. Throws if one refers to a
 * resource that is not there.
 */
export function readRoutes(template: Template, restApiId: string, pools: Pools) {
  const resources = template.of('AWS::ApiGateway::Resource');
  const poolOf = (uri: string | undefined, logicalId: string): FunctionPool => {
    const [, pool] = [...pools].find(([name]) => invokes(uri, name)) ?? [];
    return pool ?? refuse(logicalId, `a function outside of the template, ${uri}`);
  };
  const pathOf = (resourceId: string): string => {
    const { ParentId = '', PathPart = '' } = resources.get(resourceId) ?? {};
    const isAtRoot = ParentId === '' || ParentId === rootResourceId(restApiId);
    return `${isAtRoot ? '' : pathOf(ParentId)}/${PathPart}`;
  };
  const authorizers = new Map<string, ReturnType<typeof tokenAuthorizer>>();
  for (const [id, properties] of template.of('AWS::ApiGateway::Authorizer'))
    authorizers.set(id, tokenAuthorizer(properties, poolOf(properties.AuthorizerUri, id)));
  const routes = [...template.of('AWS::ApiGateway::Method')].map(([logicalId, method]) => {
    const { AuthorizationType, AuthorizerId = '', Integration: integration } = method;
    const authorize = AuthorizationType === 'CUSTOM' ? authorizers.get(AuthorizerId) : undefined;
    if (AuthorizationType === 'CUSTOM' && !authorize)
      refuse(logicalId, `an authorizer outside of the template, ${AuthorizerId}`);
    return {
      httpMethod: method.HttpMethod,
      resourceId: method.ResourceId,
      resourcePath: pathOf(method.ResourceId),
      authorize,
      integration,
      /** Undefined for a mock integration. */
      lambda: integration.Type === 'AWS_PROXY' ? poolOf(integration.Uri, logicalId) : undefined,
    };
  });
  // A literal segment has precedence. The brace of a parameter comes after all its characters.
  return routes.sort((a, b) => (a.resourcePath < b.resourcePath ? -1 : 1));
}

/**
 * Returns the route for a path within the stage, with its parameters as they arrived. A parameter
 * takes any segment that is not empty. If the first resource that fits lacks the method, no other
 * is tried. A slash at the end changes nothing.
 */
export function findRoute(routes: Route[], httpMethod: string, path: string) {
  const sent = segmentsOf(path);
  const first = routes.find(({ resourcePath }) => {
    const segments = segmentsOf(resourcePath);
    const fits = (segment: string, i: number) =>
      isParameter(segment) ? sent[i] !== '' : segment === sent[i];
    return segments.length === sent.length && segments.every(fits);
  });
  const route = routes.find(
    (other) => other.resourceId === first?.resourceId && other.httpMethod === httpMethod,
  );
  if (!route) return undefined;
  const parameters = segmentsOf(route.resourcePath).flatMap((segment, i) =>
    isParameter(segment) ? [[segment.slice(1, -1), sent[i] ?? '']] : [],
  );
  const pathParameters: Record<string, string> = Object.fromEntries(parameters);
  return { ...route, pathParameters };
}

const segmentsOf = (path: string) => path.replace(/\/$/, '').split('/');
const isParameter = (segment: string) => segment.startsWith('{');
