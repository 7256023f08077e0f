import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from '@jest/globals';
import { exampleId } from '../../bin/command-line/example-plant.ts';
import { readPackage } from '../../bin/yours/origin.ts';
import { onlyOfTheOriginal, partsNamed } from '../../bin/yours/parts.ts';
import { operationNames, operations } from '../../functions/shared/operations.ts';
import { readSettings, settingNames } from '../../lib/settings.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../support/checkout.ts';
import { judgeBody } from '../support/openapi/second-opinion.ts';
import { headingsOf, readPage, shellBlocks, tableOf } from './page.ts';

const pages = [
  ...readdirSync(root),
  ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));

const { without } = readPackage(root).yours ?? {};
const leftOut = without ? [onlyOfTheOriginal, ...partsNamed(without)] : [];
/** Tells of a file or a script whether this copy left it out. */
const wasRemoved = (name: string) =>
  leftOut.some(
    ({ files, scripts = [] }) =>
      scripts.includes(name) || files.some((file) => name.startsWith(file.replace(/\*$/, ''))),
  );

/** The commands that CI runs, and the step or test that runs them. */
const allRuns: [command: RegExp, by: string][] = [
  [/^npm ci( && npm (start|test))?$/, '.ci/run'],
  [/^git pull && npm ci$/, 'test/docs/readme.test.ts'],
  [
    /^npx cdk (bootstrap|diff|destroy)( -c plant-store:instance=\S+)?$/,
    'test/slow/deployed/deployment.test.ts',
  ],
  [
    /^npx cdk deploy( -c plant-store:(instance|retention)=\S+)*$/,
    'test/slow/deployed/deployment.test.ts',
  ],
  [/^npx cdk watch( -c plant-store:[\w-]+=\S+)*$/, 'test/stack/watch.test.ts'],
  [/^npm run contract -- --(stack|base-url) \S+$/, 'test/slow/deployed/deployment.test.ts'],
  [
    /^npm run (-s )?token -- (issue|list|rotate|revoke)( |$)/,
    'test/administration/deployed.test.ts',
  ],
  [/^(TOKEN=.* --localhost\)$|API=|curl )/, 'test/docs/readme.test.ts'],
  [
    /^npm run plants -- (export|import|erase) --owner /,
    'test/slow/programs/plants-program.test.ts',
  ],
  [/^npm run sam( |$)/, 'test/slow/sam/program.test.ts'],
  [
    /^(npx cdk synth|npm start --|echo|sed|sam local) |^TOKEN=.* --dynamodb-/,
    'test/slow/sam/plain.test.ts',
  ],
  [/^npm test -- test\/plants$/, '.ci/steps/fresh-clone'],
  [/^npm (test|run (types|lint( -- --write)?|test:programs))( && .*)?$/, '.ci/run'],
  [/^node bin\/node24\.mjs bin\/openapi\.ts$/, 'test/openapi/openapi.test.ts'],
  [/^(pip install )?openapi-python-client( |$)/, '.ci/steps/python-client'],
  [/^npm run (yours|upgrade) -- /, 'test/slow/make-it-yours/make-it-yours.test.ts'],
];

const runs = allRuns.filter(([, by]) => !wasRemoved(by));
/** Tells of a command whether the original alone runs it. */
const isOfTheOriginal = (command: string) =>
  allRuns.some(([form, by]) => form.test(command) && wasRemoved(by));

const needsAccount = '# Needs an AWS account';

const blocks = pages.flatMap((page) =>
  shellBlocks(readPage(page)).map((lines) => ({ page, lines })),
);
const marked = blocks.filter(({ lines }) => lines[0] === needsAccount);
const commands = blocks
  .filter((block) => !marked.includes(block))
  .flatMap(({ page, lines }) => lines.map((command): [string, string] => [page, command]))
  .filter(([, command]) => !isOfTheOriginal(command));

test.each(commands)('%s: CI runs "%s"', (_, command) => {
  expect(runs.filter(([form]) => form.test(command))).toHaveLength(1);
});

test.each(marked)('$page: a block that needs an account is shell for AWS', ({ lines }) => {
  const script = lines.join('\n');
  expect(script).toMatch(/\baws |^npx cdk (orphan|import|drift)\b/m);
  expect(spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  });
});

test('every entry of the list has a command and a test', () => {
  const unused = runs.filter(([form]) => !commands.some(([, command]) => form.test(command)));
  expect(unused).toEqual([]);
  expect(runs.map(([, by]) => by).filter((by) => !existsSync(join(root, by)))).toEqual([]);
});

// What `-c` sets is gone at the next deployment without it, and what it made is removed.
test.each(blocks)('$page sets with -c only what makes a copy to throw away', ({ lines }) => {
  const changing = lines.filter((line) => /^npx cdk (?!synth).* -c plant-store:/.test(line));
  for (const command of changing) {
    expect(command).toContain(' -c plant-store:instance=');
  }
});

const withExamples = [
  ...pages,
  'bin/yours/readme.md',
  'docs/openapi.json',
  'docs/first-minute.svg',
].filter((file) => !wasRemoved(file));

test.each(withExamples)('the plant that %s shows has the id of the example', (file) => {
  const ids = readPage(file).matchAll(/(?:\bid"?: ?"?|\/plants\/|\.delete\()(-?\d+)\b/g);
  const others = [...ids].map(([, id]) => id).filter((id) => id !== `${exampleId}`);
  expect(others).toEqual([]);
});

const newItems = withExamples.flatMap((file) =>
  [...readPage(file).matchAll(/\{\s*"id": ?\d[^{}]*\}/g)].map(([body]) => ({ file, body })),
);

const creates = operationNames.filter((name) => operations[name].method === 'POST');

test.each(newItems)('a create accepts what $file shows: $body', ({ body }) => {
  const types = [{ value: 'application/json', isJson: true }];
  const verdicts = creates.map((name) => judgeBody(name, types, undefined, Buffer.from(body)));
  // The document can show the items of several creates.
  expect(verdicts).toContainEqual({ accepted: expect.any(Map) });
});

const sources = globSync(['bin/**/*.ts', 'test/contract/program/*.ts'], { cwd: root });
const ours = sources
  .map(readPage)
  .join('')
  .match(/(?<=')--[a-z-]+/g);
/** Options of the CDK CLI and of SAM CLI. */
const others = ['--custom-permissions-boundary', '--express', '--skip-pull-image'];
const options = new Set([...(ours ?? []), ...others, '--help']);

// The changelog names what is gone, too.
const current = pages.filter((page) => page !== 'CHANGELOG.md');

test.each(current)('the scripts and the options that %s names exist', (page) => {
  const text = readPage(page);
  const named = [...text.matchAll(/\bnpm run (?:-s )?([\w:]+)/g)].map(([, script = '']) => script);
  const present = named.filter((script) => !wasRemoved(script));
  expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(present));

  // What follows a second -- belongs to another program.
  const calls =
    /\bnpm (?:start|run (?:-s )?(?:sam|token|plants|contract))\b(?: --(?: (?!-- )[^` \n]+)*)?/g;
  const inCalls = (text.match(calls) ?? []).flatMap((call) => call.match(/--[a-z][a-z-]+/g) ?? []);
  const alone = text.match(/(?<=`)--[a-z][a-z-]+/g) ?? [];
  expect([...inCalls, ...alone].filter((option) => !options.has(option))).toEqual([]);
});

// docs/change-it.md names files that its reader makes.
const aboutToday = current.filter((page) => page !== 'docs/change-it.md');

test.each(aboutToday)('the files that %s names exist', (page) => {
  const named = readPage(page).matchAll(/`((?:\.ci|bin|docs|functions|lib|test)\/[\w./-]+)`/g);
  const files = [...named].map(([, file = '']) => file).filter((file) => !wasRemoved(file));
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test('CONTRIBUTING.md says what each folder of tests has', () => {
  const cells = tableOf('CONTRIBUTING.md', 'in `test/`').map(([folders]) => folders);
  const folders = readdirSync(join(root, 'test'), { withFileTypes: true });
  const names = folders.filter((one) => one.isDirectory()).map(({ name }) => name);
  expect(names.filter((name) => !cells.join().includes(`\`${name}/\``))).toEqual([]);
});

test('AGENTS.md is short enough to be read each time, and the test that it names is there', () => {
  const page = readPage('AGENTS.md');
  expect(page.length).toBeLessThanOrEqual(1500);
  const [, file = '', name = ''] = /npm test -- (\S+) -t '(.+)'/.exec(page) ?? [];
  expect(readPage(file)).toContain(name);
});

test('the page on operations explains every setting, with its default', () => {
  const explained = tableOf('docs/operations.md', 'setting').map(([name, value = '']) =>
    // A cell without a default ends in the next one.
    `${name} ${value.replace(/^\|.*/, '')}`.replaceAll('`', '').trim(),
  );
  const defaults: Record<string, unknown> = readSettings({});
  const settings = settingNames.map((name) => `${name} ${defaults[name] ?? ''}`.trim());
  expect(explained.sort()).toEqual(settings.sort());
});

test('the settings that the page on operations shows for cdk.json are valid', () => {
  const [, json = ''] = /```json\n([\s\S]*?)```/.exec(readPage('docs/operations.md')) ?? [];
  expect(Object.keys(readSettings(JSON.parse(json).context))).toContain('alarm-email');
});

/** Returns the names of a file's tests and properties, and the first strings of rows of tables. */
const testNames = (file: string) =>
  [...readPage(file).matchAll(/(?:\btest\(|\)\(|\[|\bname:)\s*(['"`])(.+?)\1,/g)].map(
    ([, , name = '']) => name,
  );

test.each(pages)('what %s links to exists', (page) => {
  for (const [, text = '', target = '', anchor] of readPage(page).matchAll(
    /\[([^\]]+)\]\(([^):#]*)(?:#([\w-]+))?\)/g,
  )) {
    const file = target === '' ? page : relative(root, join(root, page, '..', target));
    if (wasRemoved(file)) {
      continue;
    }
    expect([file, existsSync(join(root, file))]).toEqual([file, true]);
    if (anchor) {
      expect(headingsOf(file)).toContain(anchor);
    }
    // The text of a link to a test is the test's name, or its file's.
    if (file.endsWith('.test.ts') && text.includes(' ')) {
      expect(testNames(file)).toContainEqual(expect.stringContaining(text));
    }
  }
});
