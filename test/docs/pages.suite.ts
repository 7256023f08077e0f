import { type StdioOptions, spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { plantMembers } from '../../functions/plants/plant.ts';
import { commonHeaders, preflight } from '../../functions/shared/headers.ts';
import { type Operation, operations } from '../../functions/shared/operations.ts';
import { readSettings, settingPrefix } from '../../lib/stack/settings.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { queryParameters } from '../contract/query-parameters.ts';
import { root } from '../support/checkout.ts';
import { codeBlocks, readCommands, readHeadings, readPage, readTable } from './page.ts';

const find = (...patterns: string[]) =>
  globSync(patterns, { cwd: root }).map((file) => file.replaceAll('\\', '/'));
const pages = find('*.md', 'docs/*.md');
const code = find('{bin,functions,lib,test,.github}/**/*.{ts,mjs,yml,yaml}');
const exists = (file: string) => existsSync(join(root, file));

/** Returns the matches of a pattern's group in files, each with its file. */
function findNames(pattern: RegExp, files = pages): { file: string; name: string }[] {
  return files.flatMap((file) =>
    [...readPage(file).matchAll(pattern)].map(([, name = '']) => ({ file, name })),
  );
}

/** Returns whether a link from the project's root leads to a file and, if it has one, a heading. */
function leadsSomewhere(link: string): boolean {
  const [file = '', heading] = link.split('#');
  return exists(file) && (heading === undefined || readHeadings(file).includes(heading));
}

test('the links of the pages lead to files and headings', () => {
  const links = findNames(/\]\(((?!https?:)[^)]+)\)/g);
  const broken = links.filter(({ file, name }) => {
    const link = name.startsWith('#') ? file + name : posix.join(posix.dirname(file), name);
    return !leadsSomewhere(link);
  });
  expect(broken).toEqual([]);
  expect(links.length).toBeGreaterThan(50);
});

const namedFolders = findNames(/\bnpm (?:test|run test:slow) --((?: [^\s`]+)+)/g).flatMap(
  ({ file, name }) => (name.match(/(?<= )test\/\S+/g) ?? []).map((name) => ({ file, name })),
);
test.each([
  {
    what: 'pages that code names, with their headings,',
    names: findNames(/\b(docs\/[\w-]+\.md(?:#[\w-]+)?)/g, code),
    exists: leadsSomewhere,
  },
  {
    what: 'files that the pages name',
    names: findNames(/`((?:\.ci|\.github|bin|docs|functions|lib|test)\/[\w./-]+)`/g),
    exists,
  },
  {
    what: 'npm scripts that the pages name',
    names: findNames(/\bnpm run (?:-s )?([\w:]+)/g),
    exists: (script: string) => script in packageJson.scripts,
  },
  {
    what: 'npm commands that the pages name',
    names: findNames(/`npm ([\w:]+)/g),
    exists: (name: string) =>
      ['ci', 'outdated', 'run', ...Object.keys(packageJson.scripts)].includes(name),
  },
  { what: 'test folders that the pages name', names: namedFolders, exists },
])('the $what exist', ({ names, exists }) => {
  expect(names.filter(({ name }) => !exists(name))).toEqual([]);
});

test('the options that the pages name exist', () => {
  const programs = find('bin/**/*.ts', 'lib/**/*.ts', 'test/contract/**/*.ts');
  const ofCdk = [
    ...['--custom-permissions-boundary', '--express'],
    ...['--revert-drift', '--rollback-trigger-alarm-arns'],
  ];
  const known = [...ofCdk, ...programs.flatMap((file) => readPage(file).match(/--[a-z-]+/g) ?? [])];
  // Options after a second `--` belong to another program.
  const inCalls = findNames(
    /\bnpm (?:start|run (?:-s )?(?:sam|token|plants|contract)) --((?: (?!-- )[^\s`]+)+)/g,
  ).flatMap(({ file, name }) =>
    (name.match(/(?<= )--[a-z-]+/g) ?? []).map((option) => ({ file, name: option })),
  );
  const alone = findNames(/`(--[a-z-]+)/g);
  expect([...inCalls, ...alone].filter(({ name }) => !known.includes(name))).toEqual([]);
});

const shellBlocks = pages.flatMap((page) => codeBlocks(readPage(page), 'sh'));

test('each code block is in one of these languages, and tests find each shell block', () => {
  const fences = findNames(/^ *```(.*)$/gm).map(({ name }) => name);
  const opening = fences.filter((_, i) => i % 2 === 0);
  expect([...new Set(opening)].sort()).toEqual(['', 'js', 'json', 'mermaid', 'sh', 'sh aws']);
  expect(shellBlocks).toHaveLength(opening.filter((language) => language.startsWith('sh')).length);
});

test('a block with commands of the AWS CLI has the mark', () => {
  const marked = pages.flatMap((page) => codeBlocks(readPage(page), 'sh aws'));
  expect(
    shellBlocks.filter((block) => /\baws [a-z]/.test(block) && !marked.includes(block)),
  ).toEqual([]);
  expect(marked.length).toBeGreaterThan(15);
});

// One process parses all blocks, each as a function that it does not call.
const parseEach = 'for block; do eval "f() {\n$block\n}" || echo "in $block" >&2; done';
// With a pipe of Node as its input, Bash would run ~/.bashrc.
const stdio = ['ignore', 'pipe', 'pipe'] satisfies StdioOptions;
const isWindows = process.platform === 'win32';
describe.each(['bash', 'zsh'])('%s', (shell) => {
  const isMissing = isWindows || spawnSync(shell, ['-c', ':'], { stdio }).status !== 0;
  (isMissing ? test.skip : test)('parses each shell block of the pages', () => {
    const { stderr } = spawnSync(shell, ['-c', parseEach, shell, ...shellBlocks], { stdio });
    expect(`${stderr}`).toBe('');
  });
});

test('no shell block has a comment, which zsh would run when it is pasted', () => {
  expect(shellBlocks.filter((block) => /(^|\s)#/.test(block))).toEqual([]);
});

test('several commands turn off the pager of the AWS CLI, which would read the lines that follow', () => {
  const paged = shellBlocks.filter(
    (block) => /^ *aws (?!login)/m.test(block) && readCommands(block).length > 1,
  );
  expect(paged.filter((block) => !block.startsWith('export AWS_PAGER=\n'))).toEqual([]);
  expect(paged.length).toBeGreaterThan(5);
});

test('the tokens of a deployment are no argument of curl', () => {
  const ofDeployments = pages.filter((page) => !['README.md', 'docs/local.md'].includes(page));
  expect(findNames(/(curl [^\n]*-H ["']Authorization)/g, ofDeployments)).toEqual([]);
});

test('a remedy takes rollback triggers off, which would undo it', () => {
  const deployments = findNames(/\bnpx cdk deploy\b([^`\n]*)/g, ['docs/runbooks.md']);
  expect(new Set(deployments.map(({ name }) => name))).toEqual(
    new Set([' --rollback-trigger-alarm-arns none']),
  );
});

const settings = readTable('docs/deploy.md', 'setting').map(([name = '', initial = '']) => ({
  name: name.replaceAll('`', ''),
  initial: initial.replaceAll('`', ''),
}));

test('the page about deploying has every setting and no other, with its default', () => {
  const unknown = () => readSettings({ [`${settingPrefix}no-such`]: '' });
  const names = settings.map(({ name }) => name);
  expect(unknown).toThrow(`there are ${names.join(', ')})`);
  const defaults: Record<string, unknown> = readSettings({});
  const expected = settings.map(({ name }) => ({ name, initial: `${defaults[name] ?? ''}` }));
  expect(settings).toEqual(expected);
});

test('the settings that the page about deploying shows for cdk.json are valid', () => {
  const [json = ''] = codeBlocks(readPage('docs/deploy.md'), 'json');
  expect(readSettings(JSON.parse(json).context)).toMatchObject({ 'throttle-rate': 20 });
});

test('the page about the API has every operation, field and query parameter', () => {
  const page = readPage('docs/api.md');
  const fields = plantMembers.map((name) => `\n* \`${name}\` `);
  expect(fields.filter((text) => !page.includes(text))).toEqual([]);
  const items = page.split(/\n(?=\* )|\n\n/);
  for (const [name, { method, path }] of Object.entries(operations)) {
    const shown = path.replaceAll(/\{(\w+)\}/g, (_, parameter) => parameter.toUpperCase());
    const item = items.find((text) => text.startsWith(`* \`${method} /${shown}\` `));
    const parameters = Object.keys(queryParameters[name as Operation] ?? {});
    const missing = parameters.filter((parameter) => !item?.includes(`\`${parameter}\``));
    expect({ name, isShown: item !== undefined, missing }).toEqual({
      name,
      isShown: true,
      missing: [],
    });
  }
});

test('the pages name the workflow that deploys, and its environment', () => {
  const workflow = readPage('.github/workflows/deploy.yml');
  const [, name] = /^name: (.*)$/m.exec(workflow) ?? [];
  expect(readPage('docs/deploy.md')).toContain(`**Actions → ${name} → Run workflow**`);
  const [, environment] = /^ +environment: (.*)$/m.exec(workflow) ?? [];
  expect(readPage('docs/security.md')).toContain(`\`${environment}\``);
});

test('the page about the API has the headers that a page of another origin may send and read', () => {
  const [, read = '', send = ''] =
    /It can then read (.*?)\. It can send (.*?), and no /s.exec(readPage('docs/api.md')) ?? [];
  const names = (text: string) => [...text.matchAll(/`([\w-]+)`/g)].map(([, name]) => name);
  const exposed = commonHeaders('*')['Access-Control-Expose-Headers'] ?? '';
  expect(names(read)).toEqual(exposed.split(', ').sort());
  expect(names(send)).toEqual(preflight.allowHeaders);
});
