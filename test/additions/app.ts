import { join } from 'node:path';
import * as cdk from 'aws-cdk-lib';
import * as api from 'aws-cdk-lib/aws-apigateway';
import * as db from 'aws-cdk-lib/aws-dynamodb';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as events from 'aws-cdk-lib/aws-events';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sources from 'aws-cdk-lib/aws-lambda-event-sources';
import * as nodejs from 'aws-cdk-lib/aws-lambda-nodejs';
import * as logs from 'aws-cdk-lib/aws-logs';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as secrets from 'aws-cdk-lib/aws-secretsmanager';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import * as wafv2 from 'aws-cdk-lib/aws-wafv2';
import project from '../../cdk.json' with { type: 'json' };
import { bundle } from '../../lib/bundle.ts';
import { PlantStoreStack } from '../../lib/plant-store-stack.ts';
import { readSettings } from '../../lib/settings.ts';

/** Writes the assembly of the stack with all that people add first, granted to a function. */
export function synthesize(outdir: string): void {
  const bundles = join(outdir, 'bundles');
  bundle(bundles);
  const { context } = project;
  const options = { analyticsReporting: false, builtinCloudFormationValidation: false };
  const app = new cdk.App({ outdir, context, ...options });
  const settings = readSettings(app.node.getAllContext());
  const stack = new PlantStoreStack(app, 'PlantStore', { settings, bundles });
  const parts: Parts = {
    stack,
    create: stack.node.findChild('CreatePlant') as lambda.Function,
    plants: stack.node.findChild('Tables').node.findChild('Plants') as db.TableV2,
    rest: stack.node.findChild('RestApi').node.findChild('Rest') as api.RestApi,
  };
  for (const add of [services, observers, tables, policies, apis, language, stacks]) {
    add(parts);
  }
  app.synth();
}

interface Parts {
  stack: cdk.Stack;
  /** A function on a request's path. */
  create: lambda.Function;
  plants: db.TableV2;
  rest: api.RestApi;
}

const inline = (stack: cdk.Stack, id: string, code = 'exports.handler = async () => ({});') =>
  new lambda.Function(stack, id, {
    runtime: lambda.Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: lambda.Code.fromInline(code),
  });
const keyed = (name: string) => ({ partitionKey: { name, type: db.AttributeType.STRING } });
function give(lambda: lambda.Function, variables: Record<string, string>): void {
  for (const [name, value] of Object.entries(variables)) {
    lambda.addEnvironment(name, value);
  }
}

/** What a function calls. */
function services({ stack, create }: Parts): void {
  const bucket = new s3.Bucket(stack, 'Bucket', { enforceSSL: true });
  bucket.grantReadWrite(create);
  const queue = new sqs.Queue(stack, 'Queue');
  queue.grantSendMessages(create);
  const topic = new cdk.aws_sns.Topic(stack, 'Topic');
  topic.grantPublish(create);
  const parameter = new ssm.StringParameter(stack, 'Parameter', { stringValue: 'x' });
  parameter.grantRead(create);
  const secret = new secrets.Secret(stack, 'Secret');
  secret.grantRead(create);
  const hostedRotation = secrets.HostedRotation.mysqlSingleUser();
  secret.addRotationSchedule('Rotation', { hostedRotation });
  const bus = new events.EventBus(stack, 'Bus');
  bus.grantPutEventsTo(create);
  new cdk.aws_kms.Key(stack, 'Key').grantEncryptDecrypt(create);
  const machine = new sfn.StateMachine(stack, 'Machine', {
    definitionBody: sfn.DefinitionBody.fromChainable(new sfn.Pass(stack, 'Pass')),
    stateMachineType: sfn.StateMachineType.EXPRESS,
  });
  machine.grantStartSyncExecution(create);
  const pool = new cdk.aws_cognito.UserPool(stack, 'Users');
  pool.grant(create, 'cognito-idp:AdminCreateUser');
  new cdk.aws_kinesis.Stream(stack, 'Stream').grantReadWrite(create);
  const provider = new cdk.custom_resources.Provider(stack, 'Provider', {
    onEventHandler: inline(stack, 'ForProvider'),
  });
  const custom = new cdk.CustomResource(stack, 'Custom', { serviceToken: provider.serviceToken });
  const zone = new cdk.aws_route53.HostedZone(stack, 'Zone', { zoneName: 'example.com' });
  give(create, {
    BUCKET: bucket.bucketName,
    QUEUE_URL: queue.queueUrl,
    TOPIC_ARN: topic.topicArn,
    PARAMETER: parameter.parameterName,
    VALUE: ssm.StringParameter.valueForStringParameter(stack, '/added'),
    SECRET_ARN: secret.secretArn,
    BUS: bus.eventBusName,
    MACHINE_ARN: machine.stateMachineArn,
    CLIENT: pool.addClient('Client').userPoolClientId,
    CUSTOM: custom.getAttString('Value'),
    // An attribute that is a list.
    SERVERS: cdk.Fn.join(',', zone.hostedZoneNameServers ?? []),
    SERVER: cdk.Fn.select(0, zone.hostedZoneNameServers ?? []),
  });
  // A function in a network.
  const vpc = new ec2.Vpc(stack, 'Network');
  const group = new ec2.SecurityGroup(stack, 'Group', { vpc: vpc as ec2.IVpc });
  (create.node.defaultChild as lambda.CfnFunction).vpcConfig = {
    securityGroupIds: [group.securityGroupId],
    subnetIds: vpc.privateSubnets.map(({ subnetId }) => subnetId),
  };
}

/** What runs a function that no request reaches. */
function observers({ stack }: Parts): void {
  const added = (id: string) => inline(stack, `For${id}`);
  // CDK bundles it in a process of its own.
  new nodejs.NodejsFunction(stack, 'ForNothing', {
    entry: join(import.meta.dirname, 'function.ts'),
    runtime: lambda.Runtime.NODEJS_24_X,
  });
  added('Queue').addEventSource(new sources.SqsEventSource(new sqs.Queue(stack, 'Consumed')));
  new events.Rule(stack, 'Rule', {
    schedule: events.Schedule.rate(cdk.Duration.hours(1)),
    targets: [new cdk.aws_events_targets.LambdaFunction(added('Rule'))],
  });
  new s3.Bucket(stack, 'Notifying').addEventNotification(
    s3.EventType.OBJECT_CREATED,
    new cdk.aws_s3_notifications.LambdaDestination(added('Bucket')),
  );
  new logs.SubscriptionFilter(stack, 'Subscription', {
    logGroup: new logs.LogGroup(stack, 'Logs'),
    destination: new cdk.aws_logs_destinations.LambdaDestination(added('Logs')),
    filterPattern: logs.FilterPattern.allEvents(),
  });
  const layer = 'arn:aws:lambda:us-east-1:1:layer:x:1';
  added('Layer').addLayers(lambda.LayerVersion.fromLayerVersionArn(stack, 'Layer', layer));
}

function tables({ stack, create, plants }: Parts): void {
  const stream = db.StreamViewType.NEW_IMAGE;
  const table = new db.Table(stack, 'Added', { ...keyed('key'), stream });
  table.addGlobalSecondaryIndex({ indexName: 'ByColour', ...keyed('colour') });
  table.grantReadWriteData(create);
  give(create, { ADDED_TABLE: table.tableName });
  const startingPosition = lambda.StartingPosition.LATEST;
  inline(stack, 'ForStream').addEventSource(
    new sources.DynamoEventSource(table as db.ITable, { startingPosition }),
  );
  plants.addGlobalSecondaryIndex({ indexName: 'ByName', ...keyed('name') });
  plants.grantReadData(create);
}

function policies({ stack, create }: Parts): void {
  for (const name of [
    'CloudWatchLambdaInsightsExecutionRolePolicy',
    'service-role/AWSLambdaVPCAccessExecutionRole',
  ]) {
    create.role?.addManagedPolicy(iam.ManagedPolicy.fromAwsManagedPolicyName(name));
  }
  const resources = ['*'];
  const statements = [new iam.PolicyStatement({ actions: ['s3:*'], resources })];
  create.role?.addManagedPolicy(new iam.ManagedPolicy(stack, 'Policy', { statements }));
  const shared = new iam.ManagedPolicy(stack, 'Shared', { statements });
  shared.attachToUser(new iam.User(stack, 'User'));
  shared.attachToGroup(new iam.Group(stack, 'UserGroup'));
  shared.attachToRole(create.role as iam.IRole);
  create.role?.addManagedPolicy(shared);
  create.addToRolePolicy(
    new iam.PolicyStatement({
      actions: ['bedrock:InvokeModel', 's3:*'],
      conditions: { StringEquals: { 'aws:ResourceTag/a': 'b' } },
      resources,
    }),
  );
}

const hello = `exports.handler = async () => (console.log('hello'), { body: 'added' });`;

function apis({ stack, create, plants, rest }: Parts): void {
  const added = inline(stack, 'OnPath', hello);
  (added.node.defaultChild as lambda.CfnFunction).overrideLogicalId('OnPath');
  plants.grantReadData(added);
  give(added, { QUEUE_URL: new sqs.Queue(stack, 'Called').queueUrl });
  rest.root.addResource('added').addMethod('GET', new api.LambdaIntegration(added));
  const version = inline(stack, 'Aliased', hello).currentVersion as lambda.IVersion;
  const alias = new lambda.Alias(stack, 'Live', { aliasName: 'live', version });
  const integration = new api.LambdaIntegration(alias as lambda.IFunction);
  rest.root.addResource('live').addMethod('GET', integration);

  const { ref } = new api.CfnClientCertificate(stack, 'Certificate', {});
  (rest.deploymentStage.node.defaultChild as api.CfnStage).clientCertificateId = ref;
  new api.Stage(stack, 'Stage', { deployment: rest.latestDeployment as api.Deployment });
  const { url } = new api.LambdaRestApi(stack, 'Second', { handler: inline(stack, 'ForSecond') });
  give(create, { OTHER_URL: url });
  new cdk.aws_apigatewayv2.HttpApi(stack, 'Http');
  new cdk.aws_cloudfront.Distribution(stack, 'Distribution', {
    defaultBehavior: {
      origin: new cdk.aws_cloudfront_origins.HttpOrigin(`${rest.restApiId}.example.com`),
    },
  });
  const acl = new wafv2.CfnWebACL(stack, 'Acl', {
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
}

/** Parameters, conditions, mappings and functions of CloudFormation. */
function language({ stack, create }: Parts): void {
  const size = new cdk.CfnParameter(stack, 'Size', { type: 'Number', default: 512 });
  const colour = new cdk.CfnParameter(stack, 'Colour', { default: 'red' }).valueAsString;
  const unknown = new cdk.CfnParameter(stack, 'Unknown').valueAsString;
  const { conditionEquals: equal } = cdk.Fn;
  const condition = (id: string, expression: ReturnType<typeof equal>) =>
    new cdk.CfnCondition(stack, id, { expression });
  const isNowhere = equal(cdk.Fn.ref('AWS::Region'), 'nowhere');
  const isRed = cdk.Fn.conditionAnd(equal(colour, 'red'), cdk.Fn.conditionNot(isNowhere));
  const isBlue = condition('IsBlue', equal(colour, 'blue'));
  const resource = create.node.defaultChild as lambda.CfnFunction;
  resource.memorySize = size.valueAsNumber;
  const nothing = cdk.Fn.ref('AWS::NoValue');
  resource.tracingConfig = cdk.Fn.conditionIf(isBlue.logicalId, { Mode: 'Active' }, nothing);
  new sqs.CfnQueue(stack, 'Never').cfnOptions.condition = isBlue;
  new sqs.CfnQueue(stack, 'Perhaps').cfnOptions.condition = condition('C', equal(unknown, 'red'));
  const codes = new cdk.CfnMapping(stack, 'Map', {
    mapping: { red: { code: 'f00' } },
    lazy: false,
  });
  give(create, {
    IF: cdk.Fn.conditionIf(condition('IsRed', isRed).logicalId, 'yes', 'no').toString(),
    CODE: codes.findInMap(colour, 'code'),
    DEFAULT: codes.findInMap(cdk.Fn.ref('AWS::Region'), 'code', 'none'),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation replaces it.
    TEXT: cdk.Fn.sub('a ${Name} of ${AWS::Region}', {
      Name: cdk.Fn.select(1, cdk.Fn.split('/', 'x/y')),
    }),
  });
}

/** A stack that a function uses, and one that none does. Each has an API. */
function stacks({ stack, create }: Parts): void {
  for (const id of ['Used', 'Unused']) {
    const other = new cdk.Stack(stack.node.scope as cdk.App, id);
    new api.LambdaRestApi(other, 'Rest', { handler: inline(other, 'Handler') });
    const table = new db.TableV2(other, 'Elsewhere', keyed('key'));
    const bucket = new s3.Bucket(other, 'Bucket');
    if (id === 'Unused') {
      continue;
    }
    table.grantReadData(create);
    bucket.grantRead(create);
    give(create, { ELSEWHERE: table.tableName, FAR_BUCKET: bucket.bucketName });
  }
}
