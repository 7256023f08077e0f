import { Validations } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SfnStateMachine } from 'aws-cdk-lib/aws-events-targets';
import { DefinitionBody, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { CallAwsService } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';

/**
 * Stops all traffic when an alarm goes off: the throttle of the stage becomes 0. Nothing starts the
 * traffic again but a person, by the runbook.
 */
export function addCeiling(
  stack: Construct,
  { deploymentStage: stage }: RestApi,
  alarm: Alarm,
): void {
  const scope = new Construct(stack, 'Ceiling');
  const stopTraffic = new CallAwsService(scope, 'StopTraffic', {
    service: 'apigateway',
    action: 'updateStage',
    iamAction: 'apigateway:PATCH',
    iamResources: [stage.stageArn],
    parameters: {
      RestApiId: stage.restApi.restApiId,
      StageName: stage.stageName,
      PatchOperations: ['rateLimit', 'burstLimit'].map((limit) => ({
        Op: 'replace',
        Path: `/*/*/throttling/${limit}`,
        Value: '0',
      })),
    },
  });
  // The API of API Gateway admits few calls a second in an account, and a deployment makes many.
  stopTraffic.addRetry({ maxAttempts: 6 });
  const machine = new StateMachine(scope, 'Machine', {
    definitionBody: DefinitionBody.fromChainable(stopTraffic),
  });
  new Rule(scope, 'Exceeded', {
    description: 'Stops all traffic after too many requests in 24 hours',
    eventPattern: {
      source: ['aws.cloudwatch'],
      detailType: ['CloudWatch Alarm State Change'],
      resources: [alarm.alarmArn],
      detail: { state: { value: ['ALARM'] } },
    },
    targets: [new SfnStateMachine(machine)],
  });
  Validations.of(scope).acknowledge(
    {
      id: 'AwsSolutions-SF1',
      reason:
        'Step Functions keeps the one call, its result and its error for 90 days. Logs would need ' +
        'permissions on all log deliveries of the account.',
    },
    {
      id: 'AwsSolutions-SF2',
      reason: 'A trace of one call shows nothing more, and needs permissions on all of X-Ray.',
    },
  );
}
