import { cpSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from '@jest/globals';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { startProgram } from '../support/program.ts';

/** The files and folders that each room may import, besides its own. */
const mayImport: Record<string, string[]> = {
  bin: [
    ...['functions/shared', 'lib/administration', 'lib/command-line', 'lib/local', 'lib/openapi'],
    ...['lib/stack', 'lib/stack/settings', 'lib/tokens'],
  ],
  functions: [
    ...['functions/access-tokens', 'functions/dynamodb', 'functions/http', 'functions/plants'],
    'functions/shared',
  ],
  'functions/access-tokens': ['functions/log', 'functions/shared'],
  'functions/dynamodb': ['functions/log', 'functions/shared'],
  'functions/http': ['functions/dynamodb', 'functions/log', 'functions/shared'],
  'functions/plants': ['functions/dynamodb', 'functions/shared'],
  'functions/shared': [],
  'lib/stack': ['functions/shared'],
  'lib/local': [
    ...['functions/dynamodb', 'functions/shared', 'lib/command-line', 'lib/openapi'],
    ...['lib/stack/settings', 'lib/tokens'],
  ],
  'lib/administration': [
    ...['functions/access-tokens', 'functions/dynamodb', 'functions/http', 'functions/plants'],
    ...['functions/shared', 'lib/command-line', 'lib/local', 'lib/tokens'],
  ],
  'lib/tokens': ['functions/access-tokens', 'functions/dynamodb', 'functions/shared'],
  'lib/openapi': ['functions/http', 'functions/plants', 'functions/shared', 'lib/command-line'],
  'lib/command-line': ['functions/shared'],
};

/** Modules that stand for others: an entry, the log, a file beside its room's wall, no room. */
const modules = ['functions/create-plant', 'functions/log', 'lib/stack/settings', 'test/x'];

interface Diagnostic {
  category: string;
  severity: string;
  location: { path: string };
}

const toPosix = (path: string): string => path.replaceAll('\\', '/');

test('the linter rejects circles and each import between rooms that is not listed here, in this checkout only, wherever it lies and whatever lies in it', async () => {
  const files = globSync('{bin,functions,lib}/**/*.ts', { cwd: root }).map(toPosix);
  const rooms = new Set(
    files.map((file) => /^(bin|lib\/[^/]+|functions(\/.+(?=\/))?)/.exec(file)?.[0] ?? ''),
  );
  expect([...rooms].sort()).toEqual(Object.keys(mayImport).sort());

  const folder = join(temporaryFolder(), 'test', 'slow', 'cdk.out', '[one]');
  for (const place of ['', '.claude/worktrees/one', '.stryker-tmp/sandbox-1', 'branches/two']) {
    const checkout = join(folder, place);
    for (const path of ['biome.json', '.gitignore']) {
      cpSync(join(root, path), join(checkout, path));
    }
    mkdirSync(join(checkout, 'functions'));
    writeFileSync(join(checkout, 'functions', 'stops.ts'), 'debugger;\n');
  }
  rooms.delete('functions');
  const imported = [...[...rooms].map((room) => `${room}/x`), ...modules];
  for (const room of Object.keys(mayImport)) {
    mkdirSync(join(folder, room), { recursive: true });
    for (const module of imported) {
      const path = toPosix(relative(room, `${module}.ts`));
      const code = `import '${path.startsWith('.') ? path : `./${path}`}';\n`;
      writeFileSync(join(folder, room, `${module.replaceAll('/', '+')}.ts`), code);
    }
  }
  const circle = ['lib/tokens/one.ts', 'lib/tokens/other.ts'];
  writeFileSync(join(folder, 'lib/tokens/one.ts'), "export { one } from './other.ts';\n");
  writeFileSync(join(folder, 'lib/tokens/other.ts'), "export { one } from './one.ts';\n");
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const [, ...lint] = packageJson.scripts.lint.split(' ');
  // Not with --only, which would turn on a rule that is off.
  const args = [biome, ...lint, '--reporter=json', '--max-diagnostics=none'];
  const { stdout } = await startProgram(process.execPath, args, { cwd: folder }).ended();
  const { diagnostics }: { diagnostics: Diagnostic[] } = JSON.parse(stdout);
  const findFiles = (rule: string) =>
    diagnostics
      .filter(({ category, severity }) => category === rule && severity === 'error')
      .map(({ location }) => toPosix(location.path));
  expect(findFiles('lint/suspicious/noDebugger')).toEqual(['functions/stops.ts']);
  expect(findFiles('lint/suspicious/noImportCycles').sort()).toEqual(circle.toSorted());
  const rejected = new Set(findFiles('lint/style/noRestrictedImports'));

  const allowed = Object.keys(mayImport).map((room) => {
    const others = imported.filter((module) => dirname(module) !== room);
    const accepted = others.filter(
      (module) => !rejected.has(`${room}/${module.replaceAll('/', '+')}.ts`),
    );
    return [room, accepted.map((module) => module.replace(/\/x$/, '')).sort()];
  });
  // The name of a room may change, and with it the order.
  const listed = Object.entries(mayImport).map(([room, others]) => [room, others.toSorted()]);
  expect(Object.fromEntries(allowed)).toEqual(Object.fromEntries(listed));
});
