import {
  aws_apigateway as api,
  aws_apigatewayv2 as apigatewayv2,
  CfnCondition,
  CfnMapping,
  CfnParameter,
  CustomResource,
  aws_cloudfront as cloudfront,
  aws_cognito as cognito,
  Duration,
  aws_dynamodb as db,
  aws_logs_destinations as destinations,
  aws_ec2 as ec2,
  aws_events as events,
  Fn,
  aws_iam as iam,
  aws_kinesis as kinesis,
  aws_kms as kms,
  aws_lambda as lambda,
  aws_logs as logs,
  aws_cloudfront_origins as origins,
  custom_resources as providers,
  aws_route53 as route53,
  Stack,
  aws_s3 as s3,
  aws_s3_notifications as s3n,
  aws_secretsmanager as secrets,
  aws_stepfunctions as sfn,
  aws_sns as sns,
  aws_lambda_event_sources as sources,
  aws_sqs as sqs,
  aws_ssm as ssm,
  aws_events_targets as targets,
  aws_wafv2 as wafv2,
} from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { PlantStoreStack } from '../../lib/plant-store-stack.ts';

/** What an addition can use of the stack. */
export interface Parts {
  stack: PlantStoreStack;
  /** A function on a request's path. */
  create: lambda.Function;
  plants: db.TableV2;
  rest: api.RestApi;
}

const inline = (stack: Stack, id: string, code = 'exports.handler = async () => ({});') =>
  new lambda.Function(stack, id, {
    runtime: lambda.Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: lambda.Code.fromInline(code),
  });
const keyed = (name: string) => ({ partitionKey: { name, type: db.AttributeType.STRING } });
/** Adds a stack beside the given one. */
const another = (stack: Stack) => new Stack(stack.node.scope as Construct, 'Another');
/** Adds a table that a function of another stack reads. */
function readTable(stack: Stack, reader: lambda.Function): void {
  const table = new db.TableV2(stack, 'Elsewhere', keyed('key'));
  table.grantReadData(reader);
  reader.addEnvironment('ELSEWHERE', table.tableName);
}
const codesIn = (stack: Stack) =>
  new CfnMapping(stack, 'Map', { mapping: { red: { code: 'f00' } }, lazy: false });
const say = (text: string) =>
  `exports.handler = async () => (console.log('hello'), { statusCode: 200, body: '${text}' });`;
const allow = (actions: string[], conditions?: object) =>
  new iam.PolicyStatement({
    effect: iam.Effect.ALLOW,
    actions,
    resources: ['*'],
    ...(conditions && { conditions }),
  });

/** What people add first, by what it is. */
export const additions: Record<string, (parts: Parts) => void> = {
  'a bucket': ({ stack, create }) => {
    const bucket = new s3.Bucket(stack, 'Added', { enforceSSL: true });
    bucket.grantReadWrite(create);
    create.addEnvironment('BUCKET', bucket.bucketName);
  },
  'a queue': ({ stack, create }) => {
    const queue = new sqs.Queue(stack, 'Added');
    queue.grantSendMessages(create);
    create.addEnvironment('QUEUE_URL', queue.queueUrl);
  },
  'a queue with a consumer': ({ stack }) =>
    inline(stack, 'Consumer').addEventSource(
      new sources.SqsEventSource(new sqs.Queue(stack, 'Added')),
    ),
  'a topic': ({ stack, create }) => {
    const topic = new sns.Topic(stack, 'Added');
    topic.grantPublish(create);
    create.addEnvironment('TOPIC_ARN', topic.topicArn);
  },
  'a parameter': ({ stack, create }) => {
    const parameter = new ssm.StringParameter(stack, 'Added', { stringValue: 'x' });
    parameter.grantRead(create);
    create.addEnvironment('PARAMETER', parameter.parameterName);
  },
  'the value of a parameter': ({ stack, create }) => {
    create.addEnvironment('VALUE', ssm.StringParameter.valueForStringParameter(stack, '/added'));
  },
  'a secret': ({ stack, create }) => {
    const secret = new secrets.Secret(stack, 'Added');
    secret.grantRead(create);
    create.addEnvironment('SECRET_ARN', secret.secretArn);
  },
  'an event bus': ({ stack, create }) => {
    const bus = new events.EventBus(stack, 'Added');
    bus.grantPutEventsTo(create);
    create.addEnvironment('BUS', bus.eventBusName);
  },
  'a key': ({ stack, create }) => {
    new kms.Key(stack, 'Added').grantEncryptDecrypt(create);
  },
  'a state machine': ({ stack, create }) => {
    const machine = new sfn.StateMachine(stack, 'Added', {
      definitionBody: sfn.DefinitionBody.fromChainable(new sfn.Pass(stack, 'Pass')),
      stateMachineType: sfn.StateMachineType.EXPRESS,
    });
    machine.grantStartSyncExecution(create);
    create.addEnvironment('MACHINE_ARN', machine.stateMachineArn);
  },
  'a user pool': ({ stack, create }) => {
    const pool = new cognito.UserPool(stack, 'Added');
    pool.grant(create, 'cognito-idp:AdminCreateUser');
    create.addEnvironment('CLIENT', pool.addClient('Client').userPoolClientId);
  },
  'a web ACL': ({ stack, rest }) => {
    const acl = new wafv2.CfnWebACL(stack, 'Added', {
      defaultAction: { allow: {} },
      scope: 'REGIONAL',
      visibilityConfig: {
        cloudWatchMetricsEnabled: false,
        metricName: 'x',
        sampledRequestsEnabled: false,
      },
    });
    new wafv2.CfnWebACLAssociation(stack, 'Association', {
      resourceArn: rest.deploymentStage.stageArn,
      webAclArn: acl.attrArn,
    });
  },
  'a scheduled function': ({ stack }) =>
    new events.Rule(stack, 'Added', {
      schedule: events.Schedule.rate(Duration.hours(1)),
    }).addTarget(new targets.LambdaFunction(inline(stack, 'Nightly'))),
  'a managed policy of AWS': ({ create }) =>
    create.role?.addManagedPolicy(
      iam.ManagedPolicy.fromAwsManagedPolicyName('CloudWatchLambdaInsightsExecutionRolePolicy'),
    ),
  'a managed policy of the stack': ({ stack, create }) =>
    create.role?.addManagedPolicy(
      new iam.ManagedPolicy(stack, 'Added', { statements: [allow(['s3:ListAllMyBuckets'])] }),
    ),
  'a condition on another service': ({ create }) => {
    const condition = { StringEquals: { 'aws:ResourceTag/a': 'b' } };
    create.addToRolePolicy(allow(['bedrock:InvokeModel', 's3:*'], condition));
  },
  'a table with a grant': ({ stack, create }) => {
    const table = new db.Table(stack, 'Added', keyed('key'));
    table.addGlobalSecondaryIndex({ indexName: 'ByColour', ...keyed('colour') });
    table.grantReadWriteData(create);
    create.addEnvironment('ADDED_TABLE', table.tableName);
  },
  'an index of the plants': ({ plants, create }) => {
    plants.addGlobalSecondaryIndex({ indexName: 'ByName', ...keyed('name') });
    plants.grantReadData(create);
  },
  'a stream with a function': ({ stack }) => {
    const stream = db.StreamViewType.NEW_IMAGE;
    const table = new db.Table(stack, 'Added', { ...keyed('key'), stream });
    inline(stack, 'Consumer').addEventSource(
      new sources.DynamoEventSource(table as db.ITable, {
        startingPosition: lambda.StartingPosition.LATEST,
      }),
    );
  },
  'a function on a new path': ({ stack, rest, plants }) => {
    const added = inline(stack, 'Added', say('added'));
    plants.grantReadData(added);
    rest.root.addResource('added').addMethod('GET', new api.LambdaIntegration(added));
  },
  'an alias of a function': ({ stack, rest }) => {
    const version = inline(stack, 'Added', say('added')).currentVersion as lambda.IVersion;
    const alias = new lambda.Alias(stack, 'Live', { aliasName: 'live', version });
    const integration = new api.LambdaIntegration(alias as lambda.IFunction);
    rest.root.addResource('added').addMethod('GET', integration);
  },
  'a stream of Kinesis': ({ stack, create }) =>
    new kinesis.Stream(stack, 'Added').grantReadWrite(create),
  'a bucket that notifies a function': ({ stack }) =>
    new s3.Bucket(stack, 'Added').addEventNotification(
      s3.EventType.OBJECT_CREATED,
      new s3n.LambdaDestination(inline(stack, 'Notified')),
    ),
  'a network': ({ stack }) => void new ec2.Vpc(stack, 'Added'),
  'a function in a network': ({ stack, create }) => {
    const vpc = new ec2.CfnVPC(stack, 'Net', { cidrBlock: '10.0.0.0/16' });
    const subnet = new ec2.CfnSubnet(stack, 'Added', { vpcId: vpc.ref, cidrBlock: '10.0.0.0/24' });
    const inVpc = { groupDescription: 'x', vpcId: vpc.ref };
    const group = new ec2.CfnSecurityGroup(stack, 'Group', inVpc);
    (create.node.defaultChild as lambda.CfnFunction).vpcConfig = {
      securityGroupIds: [group.attrGroupId],
      subnetIds: [subnet.ref],
    };
    create.role?.addManagedPolicy(
      iam.ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSLambdaVPCAccessExecutionRole'),
    );
  },
  'a layer of another function': ({ stack }) =>
    inline(stack, 'Other').addLayers(
      lambda.LayerVersion.fromLayerVersionArn(
        stack,
        'Added',
        'arn:aws:lambda:us-east-1:1:layer:x:1',
      ),
    ),
  'a distribution': ({ stack, rest }) =>
    void new cloudfront.Distribution(stack, 'Added', {
      defaultBehavior: { origin: new origins.HttpOrigin(`${rest.restApiId}.example.com`) },
    }),
  'a hosted zone': ({ stack }) =>
    void new route53.HostedZone(stack, 'Added', { zoneName: 'example.com' }),
  'a custom resource': ({ stack, create }) => {
    const provider = new providers.Provider(stack, 'Provider', {
      onEventHandler: inline(stack, 'Handler'),
    });
    const custom = new CustomResource(stack, 'Added', { serviceToken: provider.serviceToken });
    create.addEnvironment('CUSTOM', custom.getAttString('Value'));
  },
  'a log subscription': ({ stack }) =>
    void new logs.SubscriptionFilter(stack, 'Added', {
      logGroup: new logs.LogGroup(stack, 'Logs'),
      destination: new destinations.LambdaDestination(inline(stack, 'Subscriber')),
      filterPattern: logs.FilterPattern.allEvents(),
    }),
  'an HTTP API': ({ stack }) => void new apigatewayv2.HttpApi(stack, 'Added'),
  'parameters, conditions and mappings': ({ stack, create }) => {
    const size = new CfnParameter(stack, 'Size', { type: 'Number', default: 512 });
    const colour = new CfnParameter(stack, 'Colour', { default: 'red' });
    const isRed = new CfnCondition(stack, 'IsRed', {
      expression: Fn.conditionAnd(
        Fn.conditionEquals(colour.valueAsString, 'red'),
        Fn.conditionNot(Fn.conditionEquals(Fn.ref('AWS::Region'), 'nowhere')),
      ),
    });
    const isBlue = new CfnCondition(stack, 'IsBlue', {
      expression: Fn.conditionEquals(colour.valueAsString, 'blue'),
    });
    const resource = create.node.defaultChild as lambda.CfnFunction;
    resource.memorySize = size.valueAsNumber;
    resource.tracingConfig = Fn.conditionIf(
      isBlue.logicalId,
      { Mode: 'Active' },
      Fn.ref('AWS::NoValue'),
    );
    const queue = new sqs.Queue(stack, 'Never');
    (queue.node.defaultChild as lambda.CfnFunction).cfnOptions.condition = isBlue;
    create.addEnvironment('IF', Fn.conditionIf(isRed.logicalId, 'yes', 'no').toString());
    create.addEnvironment('CODE', codesIn(stack).findInMap(colour.valueAsString, 'code'));
    create.addEnvironment(
      'TEXT',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation replaces it.
      Fn.sub('a ${Name} of ${AWS::Region}', { Name: Fn.select(1, Fn.split('/', 'x/y')) }),
    );
  },
  'another stack': ({ stack }) => void new s3.Bucket(another(stack), 'Added'),
  'another stack with what a function uses': ({ stack, create }) => {
    const other = another(stack);
    const bucket = new s3.Bucket(other, 'Added');
    bucket.grantRead(create);
    create.addEnvironment('BUCKET', bucket.bucketName);
    readTable(other, create);
  },
  'attributes that are lists': ({ stack, create }) => {
    const zone = new route53.HostedZone(stack, 'Added', { zoneName: 'example.com' });
    create.addEnvironment('SERVERS', Fn.join(',', zone.hostedZoneNameServers ?? []));
    create.addEnvironment('SERVER', Fn.select(0, zone.hostedZoneNameServers ?? []));
  },
  'a user and a group with a policy of a function': ({ stack, create }) => {
    const policy = new iam.ManagedPolicy(stack, 'Added', { statements: [allow(['s3:*'])] });
    policy.attachToUser(new iam.User(stack, 'User'));
    policy.attachToGroup(new iam.Group(stack, 'Group'));
    create.role?.addManagedPolicy(policy);
    policy.attachToRole(create.role as iam.IRole);
  },
  'a condition on a parameter without a default': ({ stack }) => {
    const colour = new CfnParameter(stack, 'Colour').valueAsString;
    const condition = new CfnCondition(stack, 'C', {
      expression: Fn.conditionEquals(colour, 'red'),
    });
    new ec2.CfnVPC(stack, 'Added', { cidrBlock: '10.0.0.0/16' }).cfnOptions.condition = condition;
  },
  'a secret with a rotation, which has a transform': ({ stack }) =>
    void new secrets.Secret(stack, 'Added').addRotationSchedule('Rotation', {
      hostedRotation: secrets.HostedRotation.mysqlSingleUser(),
    }),
  'a mapping with a default, which has a transform': ({ stack, create }) => {
    create.addEnvironment('CODE', codesIn(stack).findInMap(Fn.ref('AWS::Region'), 'code', 'none'));
  },
  'a client certificate': ({ stack, rest }) => {
    const { ref } = new api.CfnClientCertificate(stack, 'Added', {});
    (rest.deploymentStage.node.defaultChild as api.CfnStage).clientCertificateId = ref;
  },
  'a second stage': ({ stack, rest }) =>
    void new api.Stage(stack, 'Added', { deployment: rest.latestDeployment as api.Deployment }),
  'a second API': ({ stack, create }) => {
    const handler = inline(stack, 'Handler', say('added'));
    const { url } = new api.LambdaRestApi(stack, 'Added', { handler });
    create.addEnvironment('OTHER_URL', url);
  },
  'a second API in another stack': ({ stack }) => {
    const other = another(stack);
    new api.LambdaRestApi(other, 'Added', { handler: inline(other, 'Handler') });
  },
  'a table in the stack of a second API': ({ stack, create }) => {
    const other = another(stack);
    new api.LambdaRestApi(other, 'Added', { handler: inline(other, 'Handler') });
    readTable(other, create);
  },
};
