import {
  CfnCondition,
  CfnMapping,
  CfnParameter,
  CustomResource,
  Duration,
  Fn,
  Stack,
} from 'aws-cdk-lib';
import {
  CfnClientCertificate,
  type CfnStage,
  type Deployment,
  LambdaIntegration,
  LambdaRestApi,
  type RestApi,
  Stage,
} from 'aws-cdk-lib/aws-apigateway';
import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Distribution } from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { UserPool } from 'aws-cdk-lib/aws-cognito';
import {
  AttributeType,
  type ITable,
  StreamViewType,
  Table,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { CfnSecurityGroup, CfnSubnet, CfnVPC, Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventBus, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import {
  Effect,
  Group,
  type IRole,
  ManagedPolicy,
  PolicyStatement,
  User,
} from 'aws-cdk-lib/aws-iam';
import { Stream } from 'aws-cdk-lib/aws-kinesis';
import { Key } from 'aws-cdk-lib/aws-kms';
import {
  Alias,
  type CfnFunction,
  Code,
  type IFunction,
  type IVersion,
  Function as LambdaFunction,
  LayerVersion,
  Runtime,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { FilterPattern, LogGroup, SubscriptionFilter } from 'aws-cdk-lib/aws-logs';
import { LambdaDestination } from 'aws-cdk-lib/aws-logs-destinations';
import { HostedZone } from 'aws-cdk-lib/aws-route53';
import { Bucket, EventType } from 'aws-cdk-lib/aws-s3';
import { LambdaDestination as BucketNotification } from 'aws-cdk-lib/aws-s3-notifications';
import { HostedRotation, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import {
  DefinitionBody,
  Pass,
  StateMachine,
  StateMachineType,
} from 'aws-cdk-lib/aws-stepfunctions';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Provider } from 'aws-cdk-lib/custom-resources';
import type { Construct } from 'constructs';
import type { PlantStoreStack } from '../../lib/plant-store-stack.ts';

/** What an addition can use of the stack. */
export interface Parts {
  stack: PlantStoreStack;
  /** A function on a request's path. */
  create: LambdaFunction;
  plants: TableV2;
  rest: RestApi;
}

const inline = (stack: Stack, id: string, code = 'exports.handler = async () => ({});') =>
  new LambdaFunction(stack, id, {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromInline(code),
  });
/** Adds a stack beside the given one. */
const another = (stack: Stack) => new Stack(stack.node.scope as Construct, 'Another');
const say = (text: string) =>
  `exports.handler = async () => (console.log('hello'), { statusCode: 200, body: '${text}' });`;
const allow = (actions: string[], conditions?: object) =>
  new PolicyStatement({
    effect: Effect.ALLOW,
    actions,
    resources: ['*'],
    ...(conditions && { conditions }),
  });

/** What people add first, by what it is. */
export const additions: Record<string, (parts: Parts) => void> = {
  'a bucket': ({ stack, create }) => {
    const bucket = new Bucket(stack, 'Added', { enforceSSL: true });
    bucket.grantReadWrite(create);
    create.addEnvironment('BUCKET', bucket.bucketName);
  },
  'a queue': ({ stack, create }) => {
    const queue = new Queue(stack, 'Added');
    queue.grantSendMessages(create);
    create.addEnvironment('QUEUE_URL', queue.queueUrl);
  },
  'a queue with a consumer': ({ stack }) =>
    inline(stack, 'Consumer').addEventSource(new SqsEventSource(new Queue(stack, 'Added'))),
  'a topic': ({ stack, create }) => {
    const topic = new Topic(stack, 'Added');
    topic.grantPublish(create);
    create.addEnvironment('TOPIC_ARN', topic.topicArn);
  },
  'a parameter': ({ stack, create }) => {
    const parameter = new StringParameter(stack, 'Added', { stringValue: 'x' });
    parameter.grantRead(create);
    create.addEnvironment('PARAMETER', parameter.parameterName);
  },
  'the value of a parameter': ({ stack, create }) => {
    create.addEnvironment('VALUE', StringParameter.valueForStringParameter(stack, '/added'));
  },
  'a secret': ({ stack, create }) => {
    const secret = new Secret(stack, 'Added');
    secret.grantRead(create);
    create.addEnvironment('SECRET_ARN', secret.secretArn);
  },
  'an event bus': ({ stack, create }) => {
    const bus = new EventBus(stack, 'Added');
    bus.grantPutEventsTo(create);
    create.addEnvironment('BUS', bus.eventBusName);
  },
  'a key': ({ stack, create }) => {
    new Key(stack, 'Added').grantEncryptDecrypt(create);
  },
  'a state machine': ({ stack, create }) => {
    const machine = new StateMachine(stack, 'Added', {
      definitionBody: DefinitionBody.fromChainable(new Pass(stack, 'Pass')),
      stateMachineType: StateMachineType.EXPRESS,
    });
    machine.grantStartSyncExecution(create);
    create.addEnvironment('MACHINE_ARN', machine.stateMachineArn);
  },
  'a user pool': ({ stack, create }) => {
    const pool = new UserPool(stack, 'Added');
    pool.grant(create, 'cognito-idp:AdminCreateUser');
    create.addEnvironment('CLIENT', pool.addClient('Client').userPoolClientId);
  },
  'a web ACL': ({ stack, rest }) => {
    const acl = new CfnWebACL(stack, 'Added', {
      defaultAction: { allow: {} },
      scope: 'REGIONAL',
      visibilityConfig: {
        cloudWatchMetricsEnabled: false,
        metricName: 'x',
        sampledRequestsEnabled: false,
      },
    });
    new CfnWebACLAssociation(stack, 'Association', {
      resourceArn: rest.deploymentStage.stageArn,
      webAclArn: acl.attrArn,
    });
  },
  'a scheduled function': ({ stack }) =>
    new Rule(stack, 'Added', { schedule: Schedule.rate(Duration.hours(1)) }).addTarget(
      new LambdaTarget(inline(stack, 'Nightly')),
    ),
  'a managed policy of AWS': ({ create }) =>
    create.role?.addManagedPolicy(
      ManagedPolicy.fromAwsManagedPolicyName('CloudWatchLambdaInsightsExecutionRolePolicy'),
    ),
  'a managed policy of the stack': ({ stack, create }) =>
    create.role?.addManagedPolicy(
      new ManagedPolicy(stack, 'Added', { statements: [allow(['s3:ListAllMyBuckets'])] }),
    ),
  'a condition on another service': ({ create }) => {
    const condition = { StringEquals: { 'aws:ResourceTag/a': 'b' } };
    create.addToRolePolicy(allow(['bedrock:InvokeModel', 's3:*'], condition));
  },
  'a table with a grant': ({ stack, create }) => {
    const table = new Table(stack, 'Added', {
      partitionKey: { name: 'key', type: AttributeType.STRING },
    });
    table.addGlobalSecondaryIndex({
      indexName: 'ByColour',
      partitionKey: { name: 'colour', type: AttributeType.STRING },
    });
    table.grantReadWriteData(create);
    create.addEnvironment('ADDED_TABLE', table.tableName);
  },
  'an index of the plants': ({ plants, create }) => {
    plants.addGlobalSecondaryIndex({
      indexName: 'ByName',
      partitionKey: { name: 'name', type: AttributeType.STRING },
    });
    plants.grantReadData(create);
  },
  'a stream with a function': ({ stack }) => {
    const table = new Table(stack, 'Added', {
      partitionKey: { name: 'key', type: AttributeType.STRING },
      stream: StreamViewType.NEW_IMAGE,
    });
    inline(stack, 'Consumer').addEventSource(
      new DynamoEventSource(table as ITable, { startingPosition: StartingPosition.LATEST }),
    );
  },
  'a function on a new path': ({ stack, rest, plants }) => {
    const added = inline(stack, 'Added', say('added'));
    plants.grantReadData(added);
    rest.root.addResource('added').addMethod('GET', new LambdaIntegration(added));
  },
  'an alias of a function': ({ stack, rest }) => {
    const version = inline(stack, 'Added', say('added')).currentVersion as IVersion;
    const alias = new Alias(stack, 'Live', { aliasName: 'live', version }) as IFunction;
    rest.root.addResource('added').addMethod('GET', new LambdaIntegration(alias));
  },
  'a stream of Kinesis': ({ stack, create }) => new Stream(stack, 'Added').grantReadWrite(create),
  'a bucket that notifies a function': ({ stack }) =>
    new Bucket(stack, 'Added').addEventNotification(
      EventType.OBJECT_CREATED,
      new BucketNotification(inline(stack, 'Notified')),
    ),
  'a network': ({ stack }) => void new Vpc(stack, 'Added'),
  'a function in a network': ({ stack, create }) => {
    const vpc = new CfnVPC(stack, 'Net', { cidrBlock: '10.0.0.0/16' });
    const subnet = new CfnSubnet(stack, 'Added', { vpcId: vpc.ref, cidrBlock: '10.0.0.0/24' });
    const group = new CfnSecurityGroup(stack, 'Group', { groupDescription: 'x', vpcId: vpc.ref });
    (create.node.defaultChild as CfnFunction).vpcConfig = {
      securityGroupIds: [group.attrGroupId],
      subnetIds: [subnet.ref],
    };
    create.role?.addManagedPolicy(
      ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSLambdaVPCAccessExecutionRole'),
    );
  },
  'a layer of another function': ({ stack }) =>
    inline(stack, 'Other').addLayers(
      LayerVersion.fromLayerVersionArn(stack, 'Added', 'arn:aws:lambda:us-east-1:1:layer:x:1'),
    ),
  'a distribution': ({ stack, rest }) =>
    void new Distribution(stack, 'Added', {
      defaultBehavior: { origin: new HttpOrigin(`${rest.restApiId}.example.com`) },
    }),
  'a hosted zone': ({ stack }) => void new HostedZone(stack, 'Added', { zoneName: 'example.com' }),
  'a custom resource': ({ stack, create }) => {
    const provider = new Provider(stack, 'Provider', { onEventHandler: inline(stack, 'Handler') });
    const custom = new CustomResource(stack, 'Added', { serviceToken: provider.serviceToken });
    create.addEnvironment('CUSTOM', custom.getAttString('Value'));
  },
  'a log subscription': ({ stack }) =>
    void new SubscriptionFilter(stack, 'Added', {
      logGroup: new LogGroup(stack, 'Logs'),
      destination: new LambdaDestination(inline(stack, 'Subscriber')),
      filterPattern: FilterPattern.allEvents(),
    }),
  'an HTTP API': ({ stack }) => void new HttpApi(stack, 'Added'),
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
    const map = new CfnMapping(stack, 'Map', { mapping: { red: { code: 'f00' } }, lazy: false });
    const resource = create.node.defaultChild as CfnFunction;
    resource.memorySize = size.valueAsNumber;
    resource.tracingConfig = Fn.conditionIf(
      isBlue.logicalId,
      { Mode: 'Active' },
      Fn.ref('AWS::NoValue'),
    );
    const queue = new Queue(stack, 'Never');
    (queue.node.defaultChild as CfnFunction).cfnOptions.condition = isBlue;
    create.addEnvironment('IF', Fn.conditionIf(isRed.logicalId, 'yes', 'no').toString());
    create.addEnvironment('CODE', map.findInMap(colour.valueAsString, 'code'));
    create.addEnvironment(
      'TEXT',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation replaces it.
      Fn.sub('a ${Name} of ${AWS::Region}', { Name: Fn.select(1, Fn.split('/', 'x/y')) }),
    );
  },
  'another stack': ({ stack }) => void new Bucket(another(stack), 'Added'),
  'another stack with what a function uses': ({ stack, create }) => {
    const other = another(stack);
    const bucket = new Bucket(other, 'Added');
    bucket.grantRead(create);
    create.addEnvironment('BUCKET', bucket.bucketName);
    const table = new TableV2(other, 'Elsewhere', {
      partitionKey: { name: 'key', type: AttributeType.STRING },
    });
    table.grantReadData(create);
    create.addEnvironment('ELSEWHERE', table.tableName);
  },
  'attributes that are lists': ({ stack, create }) => {
    const zone = new HostedZone(stack, 'Added', { zoneName: 'example.com' });
    create.addEnvironment('SERVERS', Fn.join(',', zone.hostedZoneNameServers ?? []));
    create.addEnvironment('SERVER', Fn.select(0, zone.hostedZoneNameServers ?? []));
  },
  'a user and a group with a policy of a function': ({ stack, create }) => {
    const policy = new ManagedPolicy(stack, 'Added', { statements: [allow(['s3:*'])] });
    policy.attachToUser(new User(stack, 'User'));
    policy.attachToGroup(new Group(stack, 'Group'));
    create.role?.addManagedPolicy(policy);
    policy.attachToRole(create.role as IRole);
  },
  'a condition on a parameter without a default': ({ stack }) => {
    const colour = new CfnParameter(stack, 'Colour').valueAsString;
    const condition = new CfnCondition(stack, 'C', {
      expression: Fn.conditionEquals(colour, 'red'),
    });
    new CfnVPC(stack, 'Added', { cidrBlock: '10.0.0.0/16' }).cfnOptions.condition = condition;
  },
  'a secret with a rotation, which has a transform': ({ stack }) =>
    void new Secret(stack, 'Added').addRotationSchedule('Rotation', {
      hostedRotation: HostedRotation.mysqlSingleUser(),
    }),
  'a mapping with a default, which has a transform': ({ stack, create }) => {
    const map = new CfnMapping(stack, 'Map', { mapping: { red: { code: 'f00' } }, lazy: false });
    create.addEnvironment('CODE', map.findInMap(Fn.ref('AWS::Region'), 'code', 'none'));
  },
  'a client certificate': ({ stack, rest }) => {
    const { ref } = new CfnClientCertificate(stack, 'Added', {});
    (rest.deploymentStage.node.defaultChild as CfnStage).clientCertificateId = ref;
  },
  'a second stage': ({ stack, rest }) =>
    void new Stage(stack, 'Added', { deployment: rest.latestDeployment as Deployment }),
  'a second API': ({ stack, create }) => {
    const handler = inline(stack, 'Handler', say('added'));
    const { url } = new LambdaRestApi(stack, 'Added', { handler });
    create.addEnvironment('OTHER_URL', url);
  },
  'a second API in another stack': ({ stack }) => {
    const other = another(stack);
    new LambdaRestApi(other, 'Added', { handler: inline(other, 'Handler') });
  },
  'a table in the stack of a second API': ({ stack, create }) => {
    const other = another(stack);
    new LambdaRestApi(other, 'Added', { handler: inline(other, 'Handler') });
    const table = new TableV2(other, 'Elsewhere', {
      partitionKey: { name: 'key', type: AttributeType.STRING },
    });
    table.grantReadData(create);
    create.addEnvironment('ELSEWHERE', table.tableName);
  },
};
