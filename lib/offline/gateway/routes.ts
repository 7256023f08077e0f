import type { FunctionPool } from '../lambda/function-pool.ts';
import { refuse } from '../template/intrinsics.ts';
import type { Integration } from '../template/properties.ts';
import { invokes } from '../template/reachable-resources.ts';
import { rootResourceId } from '../template/resource-values.ts';
import type { Template } from '../template/template.ts';
import { type Authorize, tokenAuthorizer } from './token-authorizer.ts';

/** A method of the API. */
export interface Route {
  httpMethod: string;
  resourceId: string;
  /** With parameters, like `/plants/{id}`. */
  resourcePath: string;
  segments: Segment[];
  /** Undefined if everybody may call the method. */
  authorize: Authorize | undefined;
  integration: Integration;
  /** Undefined for a mock integration. */
  lambda: FunctionPool | undefined;
}

/** A parameter takes any segment that is not empty. */
type Segment = { literal: string } | { parameter: string };

/** A route with the parameters of a request's path, as they arrived. */
export interface MatchedRoute extends Route {
  pathParameters: Record<string, string>;
}

/** The functions of the API by their logical ids. */
export type Pools = ReadonlyMap<string, FunctionPool>;

/**
 * Returns the methods of a REST API in their order of precedence. Throws if one refers to a
 * resource that is not there.
 */
export function readRoutes(template: Template, restApiId: string, pools: Pools): Route[] {
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
  const authorizers = new Map<string, Authorize>();
  for (const [id, properties] of template.of('AWS::ApiGateway::Authorizer')) {
    authorizers.set(id, tokenAuthorizer(properties, poolOf(properties.AuthorizerUri, id)));
  }
  const routes = [...template.of('AWS::ApiGateway::Method')].map(([logicalId, method]): Route => {
    const { AuthorizationType, AuthorizerId = '', Integration: integration } = method;
    const authorize = AuthorizationType === 'CUSTOM' ? authorizers.get(AuthorizerId) : undefined;
    if (AuthorizationType === 'CUSTOM' && !authorize) {
      refuse(logicalId, `an authorizer outside of the template, ${AuthorizerId}`);
    }
    const resourcePath = pathOf(method.ResourceId);
    return {
      httpMethod: method.HttpMethod,
      resourceId: method.ResourceId,
      resourcePath,
      segments: segmentsOf(resourcePath),
      authorize,
      integration,
      lambda: integration.Type === 'AWS_PROXY' ? poolOf(integration.Uri, logicalId) : undefined,
    };
  });
  // A literal segment has precedence. The brace of a parameter comes after all its characters.
  return routes.sort((a, b) => compare(a.resourcePath, b.resourcePath));
}

/**
 * Returns the route for a path within the stage. If the first resource that fits lacks the method,
 * no other is tried. A slash at the end changes nothing.
 */
export function findRoute(
  routes: Route[],
  httpMethod: string,
  path: string,
): MatchedRoute | undefined {
  const sent = split(path);
  const first = routes.find(({ segments }) => fits(segments, sent));
  const route = routes.find(
    (other) => other.resourceId === first?.resourceId && other.httpMethod === httpMethod,
  );
  return route && { ...route, pathParameters: parametersOf(route.segments, sent) };
}

function fits(segments: Segment[], sent: string[]): boolean {
  if (segments.length !== sent.length) {
    return false;
  }
  return segments.every((segment, i) =>
    'parameter' in segment ? sent[i] !== '' : segment.literal === sent[i],
  );
}

function parametersOf(segments: Segment[], sent: string[]): Record<string, string> {
  const parameters = segments.flatMap((segment, i) =>
    'parameter' in segment ? [[segment.parameter, sent[i] ?? '']] : [],
  );
  return Object.fromEntries(parameters);
}

const split = (path: string): string[] => path.replace(/\/$/, '').split('/');

/** Reads a resource's path, like `/plants/{id}`. */
export const segmentsOf = (resourcePath: string): Segment[] =>
  split(resourcePath).map((text) =>
    text.startsWith('{') ? { parameter: text.slice(1, -1) } : { literal: text },
  );

function compare(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  return a < b ? -1 : 1;
}
