import { expect, test } from '@jest/globals';
import { joinText } from './short-form.ts';
import { type Definition, run } from './state-machine.ts';
import { findProperties, templates } from './templates.ts';

// The template's own state machine, with a clock, a stage and an alarm of these tests.

const [machine] = findProperties(templates.everything, 'AWS::StepFunctions::StateMachine');
const definition: Definition = JSON.parse(joinText(machine.DefinitionString['Fn::Join']));

/** Runs an execution. Returns its calls and waits. The stage and alarm have these values in turn. */
function execute(limits: number[], alarms: string[]): string[] {
  const steps: string[] = [];
  const waits = run(definition, (action, { PatchOperations = [] }) => {
    const patches = PatchOperations.map(({ Path, Value }: Record<string, string>) => [Path, Value]);
    steps.push([action, ...patches.flat()].join(' '));
    const ThrottlingRateLimit = action === 'getStage' ? limits.shift() : undefined;
    const StateValue = action === 'describeAlarms' ? alarms.shift() : undefined;
    return {
      MethodSettings: { '*/*': { ThrottlingRateLimit } },
      MetricAlarms: [{ StateValue }],
    };
  });
  for (const seconds of waits) {
    steps.push(`${seconds / 3600} h`);
  }
  return steps;
}

const setTo = (rate: number, burst: number) =>
  `updateStage /*/*/throttling/rateLimit ${rate} /*/*/throttling/burstLimit ${burst}`;
const stopAndWait = ['getStage', setTo(0, 0), '3 h', 'describeAlarms'];

test('traffic stops for three hours, and for hours more while the alarm rings', () => {
  const restart = ['getStage', setTo(1, 2)];
  expect(execute([1, 0], ['OK'])).toEqual([...stopAndWait, ...restart]);
  expect(execute([1, 0], ['ALARM', 'ALARM', 'OK'])).toEqual([
    ...[...stopAndWait, '1 h', 'describeAlarms', '1 h', 'describeAlarms'],
    ...restart,
  ]);
});

test('traffic that a person stopped before the alarm stays stopped', () => {
  expect(execute([0], [])).toEqual(['getStage']);
});

test('limits that were set while an execution waits stay', () => {
  expect(execute([1, 20], ['OK'])).toEqual([...stopAndWait, 'getStage']);
});

test('the alarm starts the state machine, which may do what its calls need', () => {
  const rules = findProperties(templates.everything, 'AWS::Events::Rule');
  const alarm = { 'Fn::GetAtt': [expect.stringContaining('DailyRequests'), 'Arn'] };
  expect(rules).toEqual([
    expect.objectContaining({
      EventPattern: {
        source: ['aws.cloudwatch'],
        'detail-type': ['CloudWatch Alarm State Change'],
        resources: [alarm],
        detail: { state: { value: ['ALARM'] } },
      },
      State: 'ENABLED',
      Targets: [expect.objectContaining({ Arn: { Ref: expect.stringContaining('Machine') } })],
    }),
  ]);
  // An express execution ends after five minutes.
  expect(machine.StateMachineType).toBeUndefined();
  const tasks = Object.values(definition.States).filter(({ Type }) => Type === 'Task');
  for (const { Retry } of tasks) {
    expect(Retry).toEqual([
      { ErrorEquals: ['States.ALL'], MaxAttempts: 100, MaxDelaySeconds: 300 },
    ]);
  }
  const policies = findProperties(templates.everything, 'AWS::IAM::Policy').filter(
    ({ Roles }) => Roles[0].Ref === machine.RoleArn['Fn::GetAtt'][0],
  );
  const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  expect(statements.map(({ Action }) => Action)).toEqual([
    ['apigateway:GET', 'apigateway:PATCH'],
    'cloudwatch:DescribeAlarms',
  ]);
  const [ofStage, ofAlarm] = statements.map(({ Resource }) => Resource);
  expect(joinText(ofStage['Fn::Join'])).toMatch(/::\/restapis\/\$\{Api\}\/stages\/\$\{\w+\}$/);
  expect(ofAlarm).toEqual(alarm);
});

const day = 24 * 60;
/** The setting `daily-requests`. */
const ceiling = 100_000;
/** The minutes after which CloudWatch has a minute's requests. */
const delay = 3;

/** Requests in a minute. */
type Traffic = (minute: number) => number;

const even =
  (times: number): Traffic =>
  () =>
    (times * ceiling) / day;

/** Up to twice the mean, at random for each hour. */
function noisy(times: number): Traffic {
  let seed = 97;
  return (minute) => {
    if (minute % 60 === 0) {
      seed = (seed * 16_807) % 2_147_483_647;
    }
    return (seed / 2_147_483_647) * 2 * even(times)(minute);
  };
}

/** A fifth of the ceiling a day, and a flood of five hours at each noon. */
const floods: Traffic = (minute) =>
  minute % day >= day / 2 && minute % day < day / 2 + 300 ? 9000 : even(0.2)(minute);

// In the sandbox of Jest, each use of a global costs a microsecond.
const { max, round } = Math;

/** Simulates 30 days of traffic, and three quiet days after them. */
function simulate(traffic: Traffic, countsRejected: boolean) {
  let rateLimit = 200;
  let alarm = 'OK';
  let [alarms, offered, served, latest, most, sum] = [0, 0, 0, 0, 0, 0];
  const counts: number[] = [];
  const responses: number[] = [];
  /** The executions by the minute in which their wait ends. */
  const waiting = new Map<number, Generator<number, void>[]>();

  const call: Parameters<typeof run>[1] = (_, { PatchOperations }) => {
    rateLimit = PatchOperations ? Number(PatchOperations[0].Value) : rateLimit;
    return {
      MethodSettings: { '*/*': { ThrottlingRateLimit: rateLimit } },
      MetricAlarms: [{ StateValue: alarm }],
    };
  };
  for (let minute = 0; minute < 33 * day; minute += 1) {
    const requests = minute < 30 * day ? traffic(minute) : even(0.2)(minute);
    const isOpen = rateLimit > 0;
    counts.push(isOpen || countsRejected ? requests : 0);
    responses.push(isOpen ? requests : 0);
    offered += requests;
    served += isOpen ? requests : 0;
    latest += (responses[minute] ?? 0) - (responses[minute - day] ?? 0);
    most = max(most, latest);

    sum += (counts[minute - delay] ?? 0) - (counts[minute - delay - day] ?? 0);
    const state = round(sum) >= ceiling ? 'ALARM' : 'OK';
    const going = waiting.get(minute) ?? [];
    if (state === 'ALARM' && alarm === 'OK') {
      alarms += 1;
      going.push(run(definition, call));
    }
    alarm = state;
    for (const execution of going) {
      const end = minute + Number(execution.next().value) / 60;
      waiting.set(end, [...(waiting.get(end) ?? []), execution]);
    }
  }
  const toThousandths = (part: number) => Number(part.toFixed(3));
  return {
    alarms,
    served: toThousandths(served / offered),
    mostInADay: toThousandths(most / ceiling),
    isOpen: rateLimit > 0,
  };
}

const expected = (alarms: number, served: number, mostInADay: number) => ({
  alarms,
  served,
  mostInADay,
  isOpen: true,
});

// Where the metric counts rejected requests, traffic starts again only after the flood.
test.each<[string, () => Traffic, counted: object, notCounted: object]>([
  ['even traffic below it', () => even(0.9), expected(0, 1, 0.9), expected(0, 1, 0.9)],
  ['even traffic', () => even(1.1), expected(1, 0.047, 1.003), expected(29, 0.883, 1.003)],
  ['noise by the hour', () => noisy(1.1), expected(34, 0.231, 1.004), expected(38, 0.837, 1.006)],
  ['three times as much', () => noisy(3), expected(1, 0.017, 1.013), expected(131, 0.328, 1.016)],
  ['a flood a day', () => floods, expected(1, 0.002, 1.27), expected(29, 0.048, 1.357)],
])('the ceiling stops and starts %s', (_, traffic, counted, notCounted) => {
  expect(simulate(traffic(), true)).toEqual(counted);
  expect(simulate(traffic(), false)).toEqual(notCounted);
});
