import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from '@jest/globals';
import { maxBodyBytes } from '../../functions/shared/operations.ts';
import { problems } from '../../functions/shared/problems.ts';
import { readSettings, settingPrefix } from '../../lib/settings.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../support/checkout.ts';
import { testOnPosix } from '../support/posix.ts';
import { headingsOf, readPage, shellBlocks, tableOf } from './page.ts';

const pages = globSync(['*.md', 'docs/*.md'], { cwd: root }).map((page) =>
  page.replaceAll('\\', '/'),
);
const exists = (file: string) => existsSync(join(root, file));

/** Returns what a pattern's group matches in the pages, each with its page. */
function named(pattern: RegExp): { page: string; name: string }[] {
  return pages.flatMap((page) =>
    [...readPage(page).matchAll(pattern)].map(([, name = '']) => ({ page, name })),
  );
}

test('the links of the pages lead to files and headings', () => {
  const broken = named(/\]\(((?!https?:)[^)]+)\)/g).filter(({ page, name }) => {
    const [target = '', heading] = name.split('#');
    const file = target ? posix.join(posix.dirname(page), target) : page;
    return !exists(file) || (heading !== undefined && !headingsOf(file).includes(heading));
  });
  expect(broken).toEqual([]);
});

test('the files that the pages name exist', () => {
  const files = named(/`((?:\.ci|\.github|bin|docs|functions|lib|test)\/[\w./-]+)`/g);
  expect(files.filter(({ name }) => !exists(name))).toEqual([]);
});

test('the npm scripts that the pages name exist', () => {
  const scripts = named(/\bnpm run (?:-s )?([\w:]+)/g);
  expect(scripts.filter(({ name }) => !(name in packageJson.scripts))).toEqual([]);
});

test('the options that the pages name exist', () => {
  const programs = globSync(['bin/**/*.ts', 'test/contract/**/*.ts'], { cwd: root });
  const ofCdk = ['--custom-permissions-boundary', '--express'];
  const known = [...ofCdk, ...programs.flatMap((file) => readPage(file).match(/--[a-z-]+/g) ?? [])];
  // What follows a second `--` belongs to another program.
  const inCalls = named(
    /\bnpm (?:start|run (?:-s )?(?:sam|token|plants|contract)) --((?: (?!-- )[^\s`]+)+)/g,
  ).flatMap(({ page, name }) =>
    (name.match(/(?<= )--[a-z-]+/g) ?? []).map((option) => ({ page, name: option })),
  );
  const alone = named(/`(--[a-z-]+)/g);
  expect([...inCalls, ...alone].filter(({ name }) => !known.includes(name))).toEqual([]);
});

testOnPosix('it has no bash of its own')('the shell blocks of the pages are valid shell', () => {
  const input = pages.flatMap((page) => shellBlocks(readPage(page)).flat()).join('\n');
  expect(spawnSync('bash', ['-n'], { input, encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  });
});

const settings = tableOf('docs/operations.md', 'setting').map(([name = '', initial = '']) => ({
  name: name.replaceAll('`', ''),
  initial: initial.replaceAll('`', ''),
}));

test('the page on operations has every setting and no other', () => {
  const unknown = () => readSettings({ [`${settingPrefix}no-such`]: '' });
  const names = settings.map(({ name }) => name);
  expect(unknown).toThrow(`there are ${names.join(', ')})`);
});

test('the page on operations has the defaults of the settings', () => {
  const defaults: Record<string, unknown> = readSettings({});
  const expected = settings.map(({ name }) => ({ name, initial: `${defaults[name] ?? ''}` }));
  expect(settings).toEqual(expected);
});

test('the settings that the page on operations shows for cdk.json are valid', () => {
  const [, json = ''] = /```json\n([\s\S]*?)```/.exec(readPage('docs/operations.md')) ?? [];
  expect(readSettings(JSON.parse(json).context)).toMatchObject({ 'throttle-rate': 20 });
});

test('the page for clients has every type of problem with its status', () => {
  const rows = tableOf('docs/clients.md', '`type` ends in');
  expect(rows.map(([code, status]) => [code, status])).toEqual(
    Object.entries(problems).map(([code, { status }]) => [`\`${code}\``, `${status}`]),
  );
});

test('the page for clients has the limits of requests and bodies', () => {
  const [requests, body] = tableOf('docs/clients.md', 'limit').map(([, value]) => value);
  const { 'throttle-rate': rate } = readSettings({});
  expect(requests).toBe(`${rate} a second to each operation, ${2 * rate} at once`);
  expect(body).toBe(`${maxBodyBytes / 1024} KiB`);
});
