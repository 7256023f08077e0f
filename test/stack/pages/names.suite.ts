import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { tableIds, tableKeys } from '../../../functions/shared/table-schema.ts';
import { readSettings, settingPrefix } from '../../../lib/stack/settings.ts';
import { readPage } from '../../docs/page.ts';
import { root } from '../../support/checkout.ts';
import { testOnPosix } from '../../support/posix.ts';
import { Parameters } from '../deploy-role.ts';
import { findProperties, templates } from '../templates.ts';
import { type PageCommand, pages, readPageCommands } from './commands.ts';

const { default: template, everything } = templates;
const [stage] = findProperties(template, 'AWS::ApiGateway::Stage');
const alarms = findProperties(everything, 'AWS::CloudWatch::Alarm').map(
  ({ AlarmName }) => AlarmName,
);
const tags = findProperties(template, 'AWS::SNS::Topic').flatMap(({ Tags }) => Tags);
/** The limits of the stage that the ceiling sets. */
const throttles = [
  ...new Set(
    JSON.stringify(findProperties(everything, 'AWS::StepFunctions::StateMachine')).match(
      /\/\*\/\*\/throttling\/\w+/g,
    ),
  ),
];
const paths = Object.values(template.Resources).map(({ Metadata }) => Metadata?.['aws:cdk:path']);

const isAlarm = (name: string) =>
  ['NAME', 'PlantStore-NAME', ...alarms].includes(name.replace('PlantStore-NAME-', 'PlantStore-'));
const isPlaceholder = (name: string) => ['NAME', 'TABLE_NAME'].includes(name);
const isOutput = (text: string) => text.startsWith('OUTPUT-OF-');
const isTable = (name: string) =>
  isPlaceholder(name) || isOutput(name) || /^PlantStore-(Plants-\d{8}T\d{4}|Restored)$/.test(name);
const isKey = (json: string) =>
  `${Object.keys(JSON.parse(json))}` === tableKeys.accessTokens.partition;
const isPatch = (operation: string) =>
  [...throttles.map((path) => `${path},value=0`), '/cloudwatchRoleArn,value='].some((patch) =>
    operation.startsWith(`op=replace,path=${patch}`),
  );
/** The parts of a query that quote a name or read an item. CI parses the rest. */
const isQuery = (query: string) => {
  const [, type] = /ResourceType=='([^']+)'/.exec(query) ?? [];
  const [, prefix] = /starts_with\(@, '([^']+)'\)/.exec(query) ?? [];
  const attributes = query.match(/\b\w+\.[SN]\b/g) ?? [];
  return (
    (type === undefined || findProperties(everything, type).length > 0) &&
    (prefix === undefined || prefix === 'PlantStore-') &&
    attributes.every((name) => ['id.S', 'owner.S', 'expires.N', 'revoked.N'].includes(name))
  );
};
const isParameter = (text: string) => (text.split('=')[0] ?? '') in Parameters;

/** Compares the values of an option with what the stack has. */
const namesOf: Record<string, (value: string) => boolean> = {
  '--stack': (name) => /^PlantStore(-\w+)?$/.test(name),
  '--stack-name': (name) => ['PlantStore', 'PlantStoreDeployRole', 'CDKToolkit'].includes(name),
  '--logical-resource-id': (id) => isOutput(id) || id in template.Resources,
  '--stage-name': (name) => name === stage.StageName,
  '--alarm-name': isAlarm,
  '--alarm-names': isAlarm,
  '--mute-targets': (targets) => isAlarm(targets.replace('AlarmNames=', '')),
  '--table-name': isTable,
  '--source-table-name': isTable,
  '--target-table-name': isTable,
  '--key': isKey,
  '--patch-operations': isPatch,
  '--query': isQuery,
  '--tags': (tag) => tags.some(({ Key, Value }) => tag === `Key=${Key},Value=${Value}`),
  '--template-file': (file) => existsSync(join(root, file)),
  '--parameter-overrides': isParameter,
  '--resource-mapping-inline': (json) =>
    Object.keys(JSON.parse(json)).every((id) => Object.values<string>(tableIds).includes(id)),
  orphan: (path) => paths.includes(`${path}/Resource`),
  '-c': (setting) => {
    const [name = '', value] = setting.split('=');
    return name.startsWith(settingPrefix) && Boolean(readSettings({ [name]: value }));
  },
};

/** Returns the options of a command, each with its values. A construct's path follows `orphan`. */
function readOptions({ words }: PageCommand): { option: string; values: string[] }[] {
  const starts = words.flatMap((word, i) => (/^(--?[a-z]|orphan$)/.test(word) ? [i] : []));
  return starts.map((start, i) => ({
    option: words[start] ?? '',
    values: words.slice(start + 1, starts[i + 1]),
  }));
}

const readNames = (pattern: RegExp) =>
  pages.flatMap((page) => [...readPage(page).matchAll(pattern)].map(([, name = '']) => name));

const onPosix = testOnPosix('it has no Bash of its own');
const commands = process.platform === 'win32' ? [] : readPageCommands();

onPosix('the commands of the pages name what the stack has', () => {
  const values = commands.flatMap((command) =>
    readOptions(command).flatMap(({ option, values }) =>
      values.map((value) => ({ page: command.page, option, value })),
    ),
  );
  const compared = values.filter(({ option }) => option in namesOf);
  expect(compared.filter(({ option, value }) => !namesOf[option]?.(value))).toEqual([]);
  expect(compared.length).toBeGreaterThan(60);
  expect(new Set(compared.map(({ option }) => option))).toEqual(new Set(Object.keys(namesOf)));
});

onPosix('the runbook stops traffic by setting the limits that the ceiling sets', () => {
  const stops = commands.flatMap(({ words }) => (words[2] === 'update-stage' ? [words] : []));
  const patches = throttles.map((path) => `op=replace,path=${path},value=0`);
  expect(stops.map((words) => words.slice(-patches.length))).toEqual([patches]);
});

test('the pages name alarms, log groups and roles as the stack does', () => {
  const ids = Object.keys(everything.Resources);
  const names = readNames(/`PlantStore-([A-Z]\w+)/g).filter((name) => !isPlaceholder(name));
  const unknown = names.filter((name) => !ids.some((id) => id.startsWith(name)));
  expect(unknown.filter((name) => !alarms.includes(`PlantStore-${name}`))).toEqual([]);
  expect(names.length).toBeGreaterThan(1);
});
