import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  AuthorizationType,
  type CfnMethod,
  type CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  type IAuthorizer,
  IdentitySource,
  LambdaIntegration,
  LogGroupLogDestination,
  RestApi,
  SecurityPolicy,
  type StageOptions,
  TokenAuthorizer,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { authorizationPattern } from '../../functions/shared/access-token.ts';
import { commonHeaders } from '../../functions/shared/headers.ts';
import { type Operation, operations } from '../../functions/shared/operations.ts';
import { timeouts } from '../../functions/shared/timeouts.ts';
import type { Settings } from '../settings.ts';
import { addGatewayResponses, headersOfGateway } from './gateway-responses.ts';

export interface ApiProps {
  handlers: Record<Operation, IFunction>;
  authorizer: IFunction;
  settings: Settings;
}

/** The end of the base URL. */
export const stageName = 'v1';

/**
 * By default, a regional API accepts TLS 1.0 at its own address:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies.html
 */
export const tls = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
};

/** The REST API at stage v1: a method for each operation, with its function and the authorizer. */
export class Api extends Construct {
  readonly rest: RestApi;

  constructor(scope: Construct, id: string, { handlers, authorizer, settings }: ApiProps) {
    super(scope, id);
    const corsOrigin = settings['cors-origin'];
    const methodOptions = {
      authorizationType: AuthorizationType.CUSTOM,
      authorizer: this.tokenAuthorizer(authorizer, settings),
    };
    this.rest = new RestApi(this, 'Rest', {
      restApiName: scope.node.id,
      description: 'Plant Store',
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: false,
      ...(settings['domain-only'] && { disableExecuteApiEndpoint: true }),
      deployOptions: {
        stageName,
        throttlingRateLimit: settings['throttle-rate'],
        throttlingBurstLimit: settings['throttle-burst'],
        tracingEnabled: true,
        ...(settings['access-log'] && this.accessLog(settings)),
      },
      ...(corsOrigin && {
        defaultCorsPreflightOptions: {
          allowOrigins: [corsOrigin],
          allowMethods: [...new Set(Object.values(operations).map(({ method }) => method))],
          allowHeaders: ['Authorization', 'Content-Type'],
          maxAge: Duration.hours(1),
        },
      }),
    });
    // Remove CDK's `Endpoint` output, because `BaseUrl` has the same URL.
    this.rest.node.tryRemoveChild('Endpoint');
    const resource = this.rest.node.defaultChild as CfnRestApi;
    // The logical id is pinned, because a new one means a new API with another base URL.
    resource.overrideLogicalId('Api');
    Object.assign(resource, tls);

    for (const [name, { method, path }] of Object.entries(operations)) {
      const integration = new LambdaIntegration(handlers[name as Operation], {
        allowTestInvoke: false,
        timeout: Duration.millis(timeouts.gateway),
      });
      this.rest.root.resourceForPath(path).addMethod(method, integration, methodOptions);
    }
    this.completePreflights(corsOrigin);
    addGatewayResponses(this.rest, corsOrigin);
    this.acknowledgeFindings(settings);
  }

  /** Gives CDK's answers to CORS preflights the headers that every response has. */
  private completePreflights(corsOrigin: string | undefined): void {
    for (const { node } of this.rest.methods.filter(({ httpMethod }) => httpMethod === 'OPTIONS')) {
      const method = node.defaultChild as CfnMethod;
      for (const [name, source] of Object.entries(headersOfGateway(commonHeaders(corsOrigin)))) {
        const parameter = `0.ResponseParameters.method\\.response\\.header\\.${name}`;
        method.addPropertyOverride(`Integration.IntegrationResponses.${parameter}`, source);
        method.addPropertyOverride(`MethodResponses.${parameter}`, true);
      }
    }
  }

  /**
   * Returns the options for one JSON line per request. It has no variable that a client writes:
   * `error.message` can quote a token, and `requestId` or a user agent can be forged JSON.
   */
  private accessLog(settings: Settings): StageOptions {
    const group = new LogGroup(this, 'AccessLog', {
      retention: settings['log-retention'],
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const fields = {
      requestId: 'extendedRequestId',
      time: 'requestTime',
      sourceIp: 'identity.sourceIp',
      tlsVersion: 'tlsVersion',
      method: 'httpMethod',
      resource: 'resourcePath',
      status: 'status',
      gatewayError: 'error.responseType',
      owner: 'authorizer.principalId',
      tokenId: 'authorizer.tokenId',
      latencyMs: 'responseLatency',
      bytes: 'responseLength',
    };
    const line = Object.fromEntries(
      Object.entries(fields).map(([name, variable]) => [name, `$context.${variable}`]),
    );
    return {
      accessLogDestination: new LogGroupLogDestination(group),
      accessLogFormat: AccessLogFormat.custom(JSON.stringify(line)),
    };
  }

  private acknowledgeFindings(settings: Settings): void {
    const reasons = {
      'AwsSolutions-APIG2':
        'Models of JSON Schema draft 4 cannot express the contract; the functions validate bodies.',
      'AwsSolutions-APIG3':
        'A web ACL costs 5 dollars a month; docs/security.md says when it is worth that.',
      'AwsSolutions-APIG6':
        'Execution logs hold bodies, and need the role that the access log needs too.',
      'AwsSolutions-COG4': 'The TOKEN authorizer checks the access tokens that this stack stores.',
      ...(!settings['access-log'] && {
        'AwsSolutions-APIG1':
          'The access log is a setting, because its role is one per account and region.',
      }),
    };
    for (const [id, reason] of Object.entries(reasons))
      Validations.of(this).acknowledge({ id, reason });
  }

  private tokenAuthorizer(handler: IFunction, settings: Settings): IAuthorizer {
    return new TokenAuthorizer(this, 'TokenAuthorizer', {
      handler,
      identitySource: IdentitySource.header('Authorization'),
      validationRegex: authorizationPattern,
      resultsCacheTtl: Duration.seconds(settings['authorizer-cache']),
    });
  }
}
