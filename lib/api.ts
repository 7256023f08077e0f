import { type CfnElement, Duration } from 'aws-cdk-lib';
import {
  AuthorizationType,
  EndpointType,
  type IAuthorizer,
  IdentitySource,
  LambdaIntegration,
  RestApi,
  TokenAuthorizer,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { authorizationPattern } from '../functions/contract/access-token.ts';
import { type Operation, operations } from '../functions/contract/operations.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import type { Settings } from './settings.ts';

export interface ApiProps {
  handlers: Record<Operation, IFunction>;
  authorizer: IFunction;
  settings: Settings;
}

/** The REST API: each operation's method with its function, behind the authorizer, at stage v1. */
export class Api extends Construct {
  readonly rest: RestApi;

  constructor(scope: Construct, id: string, { handlers, authorizer, settings }: ApiProps) {
    super(scope, id);
    const corsOrigin = settings['cors-origin'];
    const methodOptions = { authorizationType: AuthorizationType.CUSTOM, authorizer: this.tokenAuthorizer(authorizer, settings) };
    this.rest = new RestApi(this, 'Rest', {
      restApiName: scope.node.id,
      description: 'Plant Store',
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: false,
      deployOptions: {
        stageName: 'v1',
        throttlingRateLimit: settings['throttle-rate'],
        throttlingBurstLimit: settings['throttle-burst'],
        tracingEnabled: true,
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
    // Pinned: another logical id would be another API, with another base URL.
    (this.rest.node.defaultChild as CfnElement).overrideLogicalId('Api');

    for (const [name, { method, path }] of Object.entries(operations)) {
      const integration = new LambdaIntegration(handlers[name as Operation], { allowTestInvoke: false });
      this.rest.root.resourceForPath(path).addMethod(method, integration, methodOptions);
    }
    addGatewayResponses(this.rest, corsOrigin);
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
