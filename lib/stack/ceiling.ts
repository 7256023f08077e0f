import { Duration, Validations } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SfnStateMachine } from 'aws-cdk-lib/aws-events-targets';
import { DefinitionBody, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { CallAwsService } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import type { Alarms } from './alarms.ts';

/**
 * Stops all traffic when an alarm goes off: the throttle of the stage becomes 0. Nothing starts the
 * traffic again but a person, by the runbook.
 */
export function addCeiling(
  stack: Construct,
  rest: RestApi,
  alarms: Alarms,
  dailyRequests: number,
): void {
  const scope = new Construct(stack, 'Ceiling');
  const stage = rest.deploymentStage;
  const alarm = alarms.add('DailyRequests', {
    impact: describeCeiling(rest, dailyRequests),
    metric: stage.metricCount({ statistic: Stats.SUM, period: Duration.days(1) }),
    threshold: dailyRequests,
    evaluationPeriods: 1,
    datapointsToAlarm: 1,
  });
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

/** The mail must help where nobody has this repository at hand. */
function describeCeiling(rest: RestApi, requests: number): string {
  return (
    `In 24 hours, the API got at least ${requests} requests, so all traffic should have stopped, ` +
    `and this should return 429: curl -i ${rest.urlForPath('/plants')} ` +
    `If it does not, stop traffic by hand: aws apigateway update-stage --rest-api-id ` +
    `${rest.restApiId} --stage-name ${rest.deploymentStage.stageName} --patch-operations ` +
    "'op=replace,path=/*/*/throttling/rateLimit,value=0' " +
    "'op=replace,path=/*/*/throttling/burstLimit,value=0' Traffic starts again only by the runbook."
  );
}
