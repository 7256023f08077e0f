import { expect, test } from '@jest/globals';
import type { Operation } from '../../functions/shared/operations.ts';
import { gateway } from '../../lib/local/gateway/gateway.ts';
import { usedActions } from '../consistency/faults/actions.ts';
import { readHeadings, readPage } from '../docs/page.ts';
import { send } from '../support/http/http-client.ts';
import { serve } from '../support/http/servers.ts';
import { functionId, published } from '../support/service/published.ts';
import settings from './settings.json' with { type: 'json' };
import { findChanges, toYaml } from './short-form.ts';
import { findProperties, synthesize, type Template, templates } from './templates.ts';

type Json = ReturnType<typeof JSON.parse>;

const all = Object.entries(templates);

/** Returns a template without paths, hashes and the stack's tag, which have tests of their own. */
function simplify(template: Template) {
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
  const findDeployment = ({ Resources }: Template) =>
    Object.keys(Resources).find((id) => Resources[id].Type === 'AWS::ApiGateway::Deployment');
  const changed = findDeployment(synthesize({ 'authorizer-cache': '0' }));
  expect(changed).toMatch(/^RestApiRestDeployment[0-9A-F]{8}[0-9a-f]{32}$/);
  expect(changed).not.toBe(findDeployment(templates.default));
});

/** Types whose resources cannot have tags. */
const untaggable = [
  ...['AWS::ApiGateway::Account', 'AWS::ApiGateway::Authorizer'],
  ...['AWS::ApiGateway::BasePathMapping', 'AWS::ApiGateway::Deployment'],
  ...['AWS::ApiGateway::GatewayResponse', 'AWS::ApiGateway::Method', 'AWS::ApiGateway::Resource'],
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
function listMethods({ Resources }: Template) {
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

test('the API has the preflights of npm start, if an origin is set', async () => {
  const listPreflights = (template: Template) =>
    listMethods(template).filter(({ HttpMethod }) => HttpMethod === 'OPTIONS');
  expect(listPreflights(templates.default)).toEqual([]);
  const call = () => Promise.reject(new Error('A preflight calls no function.'));
  const corsOrigin = settings.everything['cors-origin'];
  const { listener } = gateway({ call, corsOrigin, cacheSeconds: 0, onResponse() {} });
  const origin = await serve(listener);
  const preflights = listPreflights(templates.everything);
  expect(preflights).toHaveLength(3);
  for (const { route, Integration } of preflights) {
    const path = route.replace('OPTIONS ', '/v1').replace('{id}', '7');
    const { status, headers } = await send(origin, { method: 'OPTIONS', path });
    const { date, connection, 'keep-alive': _, ...sent } = headers;
    const [{ StatusCode, ResponseParameters }] = Integration.IntegrationResponses;
    const declared = Object.entries<string>(ResponseParameters).map(([name, source]) => [
      name.replace('method.response.header.', '').toLowerCase(),
      source.startsWith("'") ? source.slice(1, -1) : expect.any(String),
    ]);
    expect([status, sent]).toEqual([Number(StatusCode), Object.fromEntries(declared)]);
  }
});

test.each(all)(
  'roles of functions grant the actions that the functions use (%s)',
  (_, template) => {
    const policies = findProperties(template, 'AWS::IAM::Policy');
    const own = new Set<string>();
    for (const { id, table, actions } of Object.values(usedActions)) {
      const { Role, LoggingConfig, Environment } = template.Resources[id].Properties;
      const tables = Object.values<Json>(Environment.Variables).filter(({ Ref }) => Ref);
      expect(tables).toEqual([{ Ref: table }]);
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
