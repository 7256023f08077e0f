import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  AuthorizationType,
  type CfnMethod,
  type CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  IdentitySource,
  IpAddressType,
  LambdaIntegration,
  LogGroupLogDestination,
  RestApi,
  SecurityPolicy,
  type StageOptions,
  TokenAuthorizer,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { commonHeaders, preflight } from '../../functions/shared/headers.ts';
import { type Operation, operations, stageName } from '../../functions/shared/operations.ts';
import { timeouts } from '../../functions/shared/timeouts.ts';
import { authorizationPattern } from '../../functions/shared/token-form.ts';
import { addGatewayResponses, formatHeaderSources } from './gateway-responses.ts';
import type { Settings } from './settings.ts';

// If a region or partition refuses the TLS policy, STRICT or dual stack, change them here.

/**
 * By default, a regional API accepts TLS 1.0 at its own address:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies.html
 * A change takes about 15 minutes. From STRICT to BASIC, the API is unreachable for that time.
 */
export const tls = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
};

/** By default, neither the API nor its domain can be reached from IPv6-only networks. */
export const ipAddressType = IpAddressType.DUAL_STACK;

/** Requests a second, and at once, that API Gateway admits to each method. */
export interface Throttle {
  rateLimit: number;
  burstLimit: number;
}

/** The default burst quota of an account. */
const maxBurst = 5000;

export const makeThrottle = ({ 'throttle-rate': rate }: Settings): Throttle => ({
  rateLimit: rate,
  burstLimit: Math.min(2 * rate, maxBurst),
});

/** Adds the REST API with stage v1 and a method for each operation. */
export function addApi(
  stack: Construct,
  handlers: Record<Operation, IFunction>,
  authorizer: IFunction,
  settings: Settings,
): RestApi {
  const scope = new Construct(stack, 'RestApi');
  const corsOrigin = settings['cors-origin'];
  const { rateLimit, burstLimit } = makeThrottle(settings);
  const rest = new RestApi(scope, 'Rest', {
    restApiName: stack.node.id,
    description: 'Plant Store',
    endpointConfiguration: { types: [EndpointType.REGIONAL], ipAddressType },
    // All APIs of the account and region log with this role. It stays when the stack is destroyed.
    cloudWatchRole: settings['access-log'],
    deployOptions: {
      stageName,
      throttlingRateLimit: rateLimit,
      throttlingBurstLimit: burstLimit,
      ...(settings['access-log'] && makeAccessLog(scope)),
    },
    ...(corsOrigin && {
      defaultCorsPreflightOptions: {
        allowOrigins: [corsOrigin],
        allowMethods: [...new Set(Object.values(operations).map(({ method }) => method))],
        allowHeaders: [...preflight.allowHeaders],
        maxAge: Duration.seconds(preflight.maxAgeSeconds),
      },
    }),
  });
  // Remove CDK's `Endpoint` output, because `BaseUrl` has the same URL.
  rest.node.tryRemoveChild('Endpoint');
  const resource = rest.node.defaultChild as CfnRestApi;
  // The logical id is pinned, because a new one means a new API with another base URL.
  resource.overrideLogicalId('Api');
  resource.securityPolicy = tls.securityPolicy;
  resource.endpointAccessMode = tls.endpointAccessMode;

  const methodOptions = {
    authorizationType: AuthorizationType.CUSTOM,
    authorizer: new TokenAuthorizer(scope, 'TokenAuthorizer', {
      handler: authorizer,
      identitySource: IdentitySource.header('Authorization'),
      validationRegex: authorizationPattern,
      resultsCacheTtl: Duration.seconds(settings['authorizer-cache']),
    }),
  };
  for (const [name, { method, path }] of Object.entries(operations)) {
    const integration = new LambdaIntegration(handlers[name as Operation], {
      allowTestInvoke: false,
      timeout: Duration.millis(timeouts.gateway),
    });
    rest.root.resourceForPath(path).addMethod(method, integration, methodOptions);
  }
  completePreflights(rest, corsOrigin);
  addGatewayResponses(rest, corsOrigin);
  acknowledgeFindings(scope);
  return rest;
}

/**
 * Returns the options for one JSON line per request. The line has no variable that a client writes:
 * `error.message` can quote a token, and `requestId` or a user agent can be forged JSON.
 */
function makeAccessLog(scope: Construct): StageOptions {
  const group = new LogGroup(scope, 'AccessLog', {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const line = {
    requestId: '$context.extendedRequestId',
    time: '$context.requestTime',
    sourceIp: '$context.identity.sourceIp',
    tlsVersion: '$context.tlsVersion',
    method: '$context.httpMethod',
    resource: '$context.resourcePath',
    status: '$context.status',
    gatewayError: '$context.error.responseType',
    owner: '$context.authorizer.principalId',
    tokenId: '$context.authorizer.tokenId',
    latencyMs: '$context.responseLatency',
    bytes: '$context.responseLength',
  };
  return {
    accessLogDestination: new LogGroupLogDestination(group),
    accessLogFormat: AccessLogFormat.custom(JSON.stringify(line)),
  };
}

/** Adds the headers of every response to CDK's responses to CORS preflights. */
function completePreflights({ methods }: RestApi, corsOrigin: string | undefined): void {
  const sources = Object.entries(formatHeaderSources(commonHeaders(corsOrigin)));
  for (const { node } of methods.filter(({ httpMethod }) => httpMethod === 'OPTIONS')) {
    const method = node.defaultChild as CfnMethod;
    for (const [name, source] of sources) {
      const parameter = `0.ResponseParameters.method\\.response\\.header\\.${name}`;
      method.addPropertyOverride(`Integration.IntegrationResponses.${parameter}`, source);
      method.addPropertyOverride(`MethodResponses.${parameter}`, true);
    }
  }
}

/** Acknowledges findings of cdk-nag, with reasons. */
function acknowledgeFindings(scope: Construct): void {
  const findings = {
    'AwsSolutions-APIG1':
      'The access log is a setting, because its role belongs to the account and region.',
    'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
      'The role of the access log serves all APIs of the account and region, whose logs we do not know.',
    'AwsSolutions-APIG2':
      'Models of JSON Schema draft 4 cannot express the contract; functions validate bodies.',
    'AwsSolutions-APIG3':
      'A web ACL with a rule costs $6 a month; docs/security.md says when it is worth it.',
    'AwsSolutions-APIG6': 'Execution logs contain bodies, and need the role of the access log.',
    'AwsSolutions-COG4': 'The TOKEN authorizer checks the access tokens that this stack stores.',
  };
  for (const [id, reason] of Object.entries(findings)) {
    Validations.of(scope).acknowledge({ id, reason });
  }
}
