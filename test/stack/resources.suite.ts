import { expect, test } from '@jest/globals';
import { usedActions } from '../consistency/faults/actions.ts';
import { readPage } from '../docs/page.ts';
import { findProperties, getAttribute, templates } from './templates.ts';

const all = Object.entries(templates);

test.each(all)(
  'roles of functions grant the actions that the functions use (%s)',
  (_, template) => {
    const functions = template.findResources('AWS::Lambda::Function');
    const policies = findProperties(template, 'AWS::IAM::Policy');
    const own = new Set<string>();
    for (const { id, table, actions } of usedActions) {
      const { Role, LoggingConfig } = functions[id]?.Properties ?? {};
      const [role] = Role['Fn::GetAtt'];
      own.add(role).add(LoggingConfig.LogGroup.Ref);
      const statements = policies
        .filter(({ Roles }) => Roles.some(({ Ref }: { Ref: string }) => Ref === role))
        .flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
      const used = actions.map((action) => `dynamodb:${action}`);
      expect(statements).toEqual([
        {
          Effect: 'Allow',
          Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          Resource: getAttribute(LoggingConfig.LogGroup.Ref, 'Arn'),
        },
        {
          Effect: 'Allow',
          // CDK writes a single action as a string.
          Action: used.length > 1 ? used : used[0],
          Resource: getAttribute(table, 'Arn'),
        },
      ]);
    }
    // A role and a log group each, and no function without a row in the table of used actions.
    expect(own.size).toBe(2 * Object.keys(functions).length);
  },
);

test.each(all)('no role may act on every resource, or has a policy of AWS (%s)', (_, template) => {
  const statements = findProperties(template, 'AWS::IAM::Policy').flatMap(
    ({ PolicyDocument }) => PolicyDocument.Statement,
  );
  expect(statements.filter(({ Resource }) => JSON.stringify(Resource).includes('*'))).toEqual([]);
  expect(statements.filter(({ Action }) => JSON.stringify(Action).includes('*'))).toEqual([]);
  for (const { AssumeRolePolicyDocument, Tags, ...others } of findProperties(
    template,
    'AWS::IAM::Role',
  )) {
    expect(others).toEqual({});
  }
});

test('the runbooks name the stack, its tag, and the place of its tables', () => {
  const runbooks = readPage('docs/runbooks.md');
  const find = (pattern: RegExp) => [
    ...new Set(Array.from(runbooks.matchAll(pattern), ([, name]) => name)),
  ];
  const [{ Name: stack }] = findProperties(templates.default, 'AWS::ApiGateway::RestApi');
  expect(find(/\bstack=(\S+)/g)).toEqual([stack]);
  expect(find(/--stack-name (\w+)/g)).toEqual([stack]);
  const { Plants } = templates.default.findResources('AWS::DynamoDB::GlobalTable');
  const { Properties, Metadata } = Plants ?? {};
  const [tag] = Properties.Replicas[0].Tags;
  expect(find(/\bKey=([^,\s]+)/g)).toEqual([tag.Key]);
  const [folder] = find(/\$stack\/(\S+)\/\$table/g);
  expect(Metadata['aws:cdk:path']).toBe(`${stack}/${folder}/Plants/Resource`);
});
