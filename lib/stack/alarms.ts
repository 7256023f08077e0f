import { Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';

interface AlarmProps {
  /**
   * The effect on users of the API or on the bill. docs/runbooks.md has a section for the alarm.
   */
  impact: string;
  metric: IMetric;
  /** The alarm goes off at this value and above. */
  threshold: number;
  /** The number of latest periods to evaluate. */
  evaluationPeriods: number;
  /** The number of these periods that must reach the threshold. */
  datapointsToAlarm: number;
  /** Whether the alarm sends mail when it ends, too. By default, it does. */
  mailsEnd?: boolean;
}

/** The topic for the mail of all alarms, and the alarms. */
export class Alarms extends Construct {
  readonly #mail: SnsAction;

  constructor(stack: Stack, email: string | undefined) {
    super(stack, 'Monitoring');
    this.#mail = new SnsAction(addTopic(this, email));
  }

  add(name: string, { impact, mailsEnd = true, ...props }: AlarmProps): Alarm {
    const alarm = new Alarm(this, name, {
      ...props,
      alarmName: `${Stack.of(this).stackName}-${name}`,
      alarmDescription: `Impact: ${impact} Runbook: docs/runbooks.md#${name.toLowerCase()}`,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(this.#mail);
    if (mailsEnd) {
      alarm.addOkAction(this.#mail);
    }
    return alarm;
  }
}

function addTopic(scope: Construct, email: string | undefined): Topic {
  const { stackName, account } = Stack.of(scope);
  const topic = new Topic(scope, 'Alarms', { displayName: stackName, enforceSSL: true });
  // The policy that demands TLS replaces the default one, which lets alarms publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
  );
  if (email) {
    topic.addSubscription(new EmailSubscription(email));
  }
  return topic;
}
