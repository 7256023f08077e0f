import { Duration, Validations } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type Alarm, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SfnStateMachine } from 'aws-cdk-lib/aws-events-targets';
import {
  Choice,
  Condition,
  DefinitionBody,
  type IChainable,
  QueryLanguage,
  StateMachine,
  Succeed,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions';
import {
  CallAwsService,
  type CallAwsServiceJsonataProps,
} from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import type { Alarms } from './alarms.ts';
import type { Throttle } from './api.ts';

/**
 * Stops all traffic after `dailyRequests` requests in 24 hours, by a throttle of 0. Starts it again
 * after three hours at the earliest, once the latest 24 hours have had fewer requests.
 */
export function addCeiling(
  stack: Construct,
  rest: RestApi,
  alarms: Alarms,
  dailyRequests: number,
  throttle: Throttle,
): void {
  const scope = new Construct(stack, 'Ceiling');
  const alarm = alarms.add('DailyRequests', {
    impact: describeCeiling(rest, dailyRequests),
    metric: rest.deploymentStage.metricCount({ statistic: Stats.SUM, period: Duration.days(1) }),
    threshold: dailyRequests,
    evaluationPeriods: 1,
    datapointsToAlarm: 1,
    // The end of the alarm does not mean that traffic flows.
    mailsEnd: false,
  });
  const machine = new StateMachine(scope, 'Machine', {
    queryLanguage: QueryLanguage.JSONATA,
    definitionBody: DefinitionBody.fromChainable(defineMachine(scope, rest, alarm, throttle)),
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
        'Step Functions keeps each call, its result and its error for 90 days. Logs would need ' +
        'permissions on all log deliveries of the account.',
    },
    {
      id: 'AwsSolutions-SF2',
      reason: 'A trace of a few calls shows nothing more, and needs permissions on all of X-Ray.',
    },
  );
}

/** Traffic that a person stopped, and limits that somebody has set since, stay as they are. */
function defineMachine(
  scope: Construct,
  { restApiId, deploymentStage: stage }: RestApi,
  alarm: Alarm,
  throttle: Throttle,
): IChainable {
  function call(id: string, props: CallAwsServiceJsonataProps): CallAwsService {
    const task = CallAwsService.jsonata(scope, id, props);
    // API Gateway's own API admits few calls a second in an account. This retries for eight hours.
    task.addRetry({ maxAttempts: 100, maxDelay: Duration.minutes(5) });
    return task;
  }
  const lookAtStage = (id: string) =>
    call(id, {
      service: 'apigateway',
      action: 'getStage',
      iamAction: 'apigateway:GET',
      iamResources: [stage.stageArn],
      parameters: { RestApiId: restApiId, StageName: stage.stageName },
    });
  const setThrottle = (id: string, limits: Throttle) =>
    call(id, {
      service: 'apigateway',
      action: 'updateStage',
      iamAction: 'apigateway:PATCH',
      iamResources: [stage.stageArn],
      parameters: {
        RestApiId: restApiId,
        StageName: stage.stageName,
        PatchOperations: Object.entries(limits).map(([limit, value]) => ({
          Op: 'replace',
          Path: `/*/*/throttling/${limit}`,
          Value: `${value}`,
        })),
      },
    });
  const lookAtAlarm = call('LookAtAlarm', {
    service: 'cloudwatch',
    action: 'describeAlarms',
    iamAction: 'cloudwatch:DescribeAlarms',
    iamResources: [alarm.alarmArn],
    parameters: { AlarmNames: [alarm.alarmName] },
  });
  const wait = (id: string, hours: number) =>
    Wait.jsonata(scope, id, { time: WaitTime.duration(Duration.hours(hours)) });

  const isStopped = Condition.jsonata(
    '{% $states.input.MethodSettings.`*/*`.ThrottlingRateLimit = 0 %}',
  );
  const isRinging = Condition.jsonata("{% $states.input.MetricAlarms[0].StateValue = 'ALARM' %}");
  const leaveAsIs = Succeed.jsonata(scope, 'LeaveAsIs');

  lookAtAlarm.next(
    Choice.jsonata(scope, 'IsRinging')
      .when(isRinging, wait('WaitAnHour', 1).next(lookAtAlarm))
      .otherwise(
        lookAtStage('LookAgain').next(
          Choice.jsonata(scope, 'IsStillStopped')
            .when(isStopped, setThrottle('StartTraffic', throttle))
            .otherwise(leaveAsIs),
        ),
      ),
  );
  const stopTraffic = setThrottle('StopTraffic', { rateLimit: 0, burstLimit: 0 });
  return lookAtStage('Look').next(
    Choice.jsonata(scope, 'IsStopped')
      .when(isStopped, leaveAsIs)
      .otherwise(stopTraffic.next(wait('WaitThreeHours', 3)).next(lookAtAlarm)),
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
    "'op=replace,path=/*/*/throttling/burstLimit,value=0' Traffic starts by itself in three " +
    'hours or later. To keep it stopped, stop the execution of CeilingMachine in Step Functions.'
  );
}
