import { expect, test } from '@jest/globals';
import type { Operation } from '../../functions/shared/operations.ts';
import { gateway } from '../../lib/local/gateway/gateway.ts';
import { usedActions } from '../consistency/faults/actions.ts';
import { readHeadings, readPage } from '../docs/page.ts';
import { send } from '../support/http/http-client.ts';
import { serve } from '../support/http/servers.ts';
import { functionId, published } from '../support/service/published.ts';
import settings from './settings.json' with { type: 'json' };
import { findChanges, joinText, toYaml } from './short-form.ts';
import { findProperties, synthesize, templates } from './templates.ts';

const all = Object.entries(templates);

/** Returns a template without paths, hashes and the stack's tag, which have tests of their own. */
function simplify(template: (typeof templates)['default']) {
  const json = JSON.stringify(template, (key, value) => {
    const isPath = key === 'Metadata' && Object.keys(value).join() === 'aws:cdk:path';
    const isTag = key === 'Tags' && value.length === 1 && value[0].Key === 'plant-store';
    return isPath || isTag ? undefined : value;
  });
  // Of the files of functions, and of what a deployment of the API includes.
  const hashes = /[0-9a-f]{64}(?=\.zip")|(?<=Deployment[0-9A-F]{8})[0-9a-f]{32}/g;
  return JSON.parse(json.replaceAll(hashes, 'HASH'));
}

test('the template without settings is the snapshot', () => {
  expect(toYaml(simplify(templates.default)).join('\n')).toMatchSnapshot();
});

test.each(['everything', 'throwaway'] as const)(
  'the template with settings differs from it by the snapshot (%s)',
  (group) => {
    const changes = findChanges(simplify(templates[group]), simplify(templates.default));
    expect(toYaml(changes).join('\n')).toMatchSnapshot();
  },
);

test('a changed authorizer is deployed, because the deployment has another name', () => {
  const findDeployment = ({ Resources }: (typeof templates)['default']) =>
    Object.keys(Resources).find((id) => Resources[id].Type === 'AWS::ApiGateway::Deployment');
  const changed = findDeployment(synthesize({ 'authorizer-cache': '0' }));
  expect(changed).toMatch(/^RestApiRestDeployment[0-9A-F]{8}[0-9a-f]{32}$/);
  expect(changed).not.toBe(findDeployment(templates.default));
});

/** Types whose resources cannot have tags. */
const untaggable = [
  ...[
    'Account',
    'Authorizer',
    'BasePathMapping',
    'Deployment',
    'GatewayResponse',
    'Method',
    'Resource',
  ].map((name) => `AWS::ApiGateway::${name}`),
  ...['AWS::IAM::Policy', 'AWS::Lambda::Permission', 'AWS::Logs::MetricFilter'],
  ...['AWS::Route53::RecordSet', 'AWS::SNS::Subscription', 'AWS::SNS::TopicPolicy'],
];

test.each(all)('each resource that can have tags has the stack’s (%s)', (group, template) => {
  const Value = group === 'throwaway' ? 'PlantStore-throwaway' : 'PlantStore';
  for (const [id, { Type, Properties }] of Object.entries(template.Resources)) {
    const tags = Properties.Tags ?? Properties.Replicas?.[0].Tags;
    if (!untaggable.includes(Type)) {
      expect([id, tags]).toEqual([id, expect.arrayContaining([{ Key: 'plant-store', Value }])]);
    }
  }
});

// What one place of a template, a page or a program must have in common with another.

const getAttribute = (id: string, attribute: string) => ({ 'Fn::GetAtt': [id, attribute] });

/** Returns the methods of the API with their routes. */
function listMethods({ Resources }: (typeof templates)['default']) {
  const findPath = (id: string): string => {
    const { PathPart, ParentId } = Resources[id].Properties;
    return `${ParentId.Ref ? findPath(ParentId.Ref) : ''}/${PathPart}`;
  };
  return findProperties({ Resources }, 'AWS::ApiGateway::Method').map((method) => {
    const path = method.ResourceId.Ref ? findPath(method.ResourceId.Ref) : '/';
    return { route: `${method.HttpMethod} ${path}`, ...method };
  });
}

test.each(all)('the API routes each operation to its function (%s)', (_, template) => {
  const routes = listMethods(template).filter(({ HttpMethod }) => HttpMethod !== 'OPTIONS');
  const functions = routes.map(({ route, AuthorizerId, Integration }) => {
    expect(template.Resources[AuthorizerId.Ref].Type).toBe('AWS::ApiGateway::Authorizer');
    const parts: object[] = Integration.Uri['Fn::Join'][1];
    return [route, parts.find((part) => Object.hasOwn(part, 'Fn::GetAtt'))];
  });
  const expected = Object.entries(published).map(([name, { route }]) => [
    route,
    getAttribute(functionId(name as Operation), 'Arn'),
  ]);
  expect(Object.fromEntries(functions)).toEqual(Object.fromEntries(expected));
});

test.each([
  { group: 'default', corsOrigin: undefined, unknown: ['/', '/plants', '/plants/7'] },
  { group: 'everything', corsOrigin: settings.everything['cors-origin'], unknown: ['/nothing'] },
] as const)('the API has the preflights of npm start ($group)', async (row) => {
  const { group, corsOrigin, unknown } = row;
  const call = () => Promise.reject(new Error('A preflight calls no function.'));
  const { listener } = gateway({ call, corsOrigin, cacheSeconds: 0, onResponse() {} });
  const origin = await serve(listener);
  const ask = (path: string) => send(origin, { method: 'OPTIONS', path: `/v1${path}` });
  const preflights = listMethods(templates[group]).filter((one) => one.HttpMethod === 'OPTIONS');
  for (const { route, Integration } of preflights) {
    const { status, headers } = await ask(route.slice('OPTIONS '.length).replace('{id}', '7'));
    const { date, connection, 'keep-alive': _, ...sent } = headers;
    const [{ StatusCode, ResponseParameters }] = Integration.IntegrationResponses;
    const declared = Object.entries<string>(ResponseParameters).map(([name, source]) => [
      name.replace('method.response.header.', '').toLowerCase(),
      source.startsWith("'") ? source.slice(1, -1) : expect.any(String),
    ]);
    expect([status, sent]).toEqual([Number(StatusCode), Object.fromEntries(declared)]);
  }
  for (const path of unknown) {
    expect(await ask(path)).toMatchObject({ status: 404 });
  }
});

test.each(all)(
  'roles of functions grant the actions that the functions use (%s)',
  (_, template) => {
    const policies = findProperties(template, 'AWS::IAM::Policy');
    const own = new Set<string>();
    for (const { id, table, actions } of Object.values(usedActions)) {
      const { Role, LoggingConfig } = template.Resources[id].Properties;
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
    expect(own.size).toBe(2 * findProperties(template, 'AWS::Lambda::Function').length);
  },
);

test.each(all)(
  'no role may act on every resource, or has a policy of AWS but the one for logs (%s)',
  (_, template) => {
    for (const { PolicyDocument } of findProperties(template, 'AWS::IAM::Policy')) {
      for (const { Action, Resource } of PolicyDocument.Statement) {
        expect(JSON.stringify([Action, Resource])).not.toContain('*');
      }
    }
    for (const role of findProperties(template, 'AWS::IAM::Role')) {
      const { AssumeRolePolicyDocument, Tags, ManagedPolicyArns = [], ...others } = role;
      expect(others).toEqual({});
      const policies = ManagedPolicyArns.map((arn: { 'Fn::Join': [string, object[]] }) =>
        joinText(arn['Fn::Join']).split('/').at(-1),
      );
      const [{ Principal }] = AssumeRolePolicyDocument.Statement;
      // All APIs of the account and region log with this role.
      const isForLogs = Principal.Service === 'apigateway.amazonaws.com';
      expect(policies).toEqual(isForLogs ? ['AmazonAPIGatewayPushToCloudWatchLogs'] : []);
    }
  },
);

const alarms = findProperties(templates.everything, 'AWS::CloudWatch::Alarm').map((alarm) => ({
  name: alarm.AlarmName.split('-').at(-1),
  ...alarm,
}));

test.each(alarms)(
  '$name has an impact, and a runbook with all parts',
  ({ name, AlarmDescription }) => {
    // With references, which are as long as their values.
    const description = JSON.stringify(AlarmDescription);
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
    expect(description.length).toBeLessThan(1024);
    const [, anchor] = /"Impact: .+\. Runbook: docs\/runbooks\.md#(\w+)"/.exec(description) ?? [];
    expect(anchor).toBe(name.toLowerCase());
    expect(readHeadings('docs/runbooks.md')).toContain(anchor);

    const [, section = ''] = readPage('docs/runbooks.md').split(`\n## ${name}\n`);
    const [text = ''] = section.split('\n## ');
    expect(text.match(/\*\*(\w+\.|Expect it|A false alarm)\*\*/g)).toEqual([
      '**Impact.**',
      '**Threshold.**',
      '**Expect it**',
      '**A false alarm**',
      '**Check.**',
      '**Do.**',
      '**Verify.**',
    ]);
  },
);

test('the runbooks name the stack, its tag, and the place of its tables', () => {
  const runbooks = readPage('docs/runbooks.md');
  const find = (pattern: RegExp) => [
    ...new Set(Array.from(runbooks.matchAll(pattern), ([, name]) => name)),
  ];
  const [{ Name: stack }] = findProperties(templates.default, 'AWS::ApiGateway::RestApi');
  expect(find(/\bstack=(\S+)/g)).toEqual([stack]);
  expect(find(/--stack-name (\w+)/g)).toEqual([stack]);
  const { Properties, Metadata } = templates.default.Resources.Plants;
  const [tag] = Properties.Replicas[0].Tags;
  expect(find(/\bKey=([^,\s]+)/g)).toEqual([tag.Key]);
  const [folder] = find(/\$stack\/(\S+)\/\$table/g);
  expect(Metadata['aws:cdk:path']).toBe(`${stack}/${folder}/Plants/Resource`);
});
