import { expect, test } from '@jest/globals';
import { findIds, findProperties, getAttribute, ref, renderText, templates } from './templates.ts';

const { everything } = templates;
const [machineId = ''] = findIds(everything, 'AWS::StepFunctions::StateMachine');
const [stage = ''] = findIds(everything, 'AWS::ApiGateway::Stage');
const [machine] = findProperties(everything, 'AWS::StepFunctions::StateMachine');
const [rule] = findProperties(everything, 'AWS::Events::Rule');

/** Returns a role's trust and its policy statements. Fails on managed and inline policies. */
function readRole({ 'Fn::GetAtt': [id] }: { 'Fn::GetAtt': [string, string] }) {
  const { Tags, AssumeRolePolicyDocument, ...others } =
    everything.findResources('AWS::IAM::Role')[id]?.Properties ?? {};
  expect(others).toEqual({});
  const policies = findProperties(everything, 'AWS::IAM::Policy').filter(({ Roles }) =>
    Roles.some(({ Ref }: { Ref: string }) => Ref === id),
  );
  return {
    trust: AssumeRolePolicyDocument.Statement,
    statements: policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement),
  };
}

test('the state machine sets the throttle of the stage to 0, and may do nothing else', () => {
  expect(JSON.parse(renderText(machine.DefinitionString))).toEqual({
    StartAt: 'StopTraffic',
    States: {
      StopTraffic: {
        Type: 'Task',
        Resource: 'arn:AWS::Partition:states:::aws-sdk:apigateway:updateStage',
        Parameters: {
          RestApiId: 'Api',
          StageName: stage,
          PatchOperations: [
            { Op: 'replace', Path: '/*/*/throttling/rateLimit', Value: '0' },
            { Op: 'replace', Path: '/*/*/throttling/burstLimit', Value: '0' },
          ],
        },
        Retry: [{ ErrorEquals: ['States.ALL'], MaxAttempts: 6 }],
        End: true,
      },
    },
  });
  const { trust, statements } = readRole(machine.RoleArn);
  expect(trust).toMatchObject([
    { Principal: { Service: 'states.amazonaws.com' }, Condition: expect.anything() },
  ]);
  const [{ Resource, ...statement }, ...others] = statements;
  expect([statement, others]).toEqual([{ Effect: 'Allow', Action: 'apigateway:PATCH' }, []]);
  expect(renderText(Resource)).toBe(
    `arn:AWS::Partition:apigateway:AWS::Region::/restapis/Api/stages/${stage}`,
  );
});

test('the alarm DailyRequests starts the state machine when it goes off', () => {
  const alarms = Object.entries(everything.findResources('AWS::CloudWatch::Alarm'));
  const [alarmId = ''] =
    alarms.find(([, { Properties }]) => Properties.AlarmName.endsWith('-DailyRequests')) ?? [];
  expect(rule).toMatchObject({
    State: 'ENABLED',
    EventPattern: {
      source: ['aws.cloudwatch'],
      'detail-type': ['CloudWatch Alarm State Change'],
      resources: [getAttribute(alarmId, 'Arn')],
      detail: { state: { value: ['ALARM'] } },
    },
  });
  const [{ Arn, RoleArn }, ...others] = rule.Targets;
  expect([Arn, others]).toEqual([ref(machineId), []]);
  expect(readRole(RoleArn)).toEqual({
    trust: [
      {
        Effect: 'Allow',
        Action: 'sts:AssumeRole',
        Principal: { Service: 'events.amazonaws.com' },
      },
    ],
    statements: [{ Effect: 'Allow', Action: 'states:StartExecution', Resource: ref(machineId) }],
  });
});
