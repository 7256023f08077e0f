import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readPage } from '../../docs/page.ts';
import { copyProject } from '../../support/checkout.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { plantWith } from '../../support/plant.ts';
import { startNpmStart } from '../../support/program.ts';

/** Returns the files that a section of the page has as a whole. */
function filesIn(title: string): Map<string, string> {
  const [, section = ''] = readPage('docs/change-it.md').split(`## ${title}\n`);
  const [own = ''] = section.split(/^## /m);
  const blocks = own.matchAll(/^```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)^```$/gm);
  return new Map([...blocks].map(([, file = '', code = '']) => [file, code]));
}

/** Runs a program of a copy with Node 24. */
const runIn = (cwd: string, ...command: string[]) =>
  spawnSync(process.execPath, ['bin/node24.mjs', ...command], { cwd, encoding: 'utf8' });

const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'];

test('the walk to a filter of the list works, in the types and in the contract', () => {
  const copy = temporaryFolder();
  copyProject(copy);
  const files = filesIn('Add a parameter to the list');
  expect([...files.keys()]).toEqual(['functions/plants/list.ts']);
  for (const [file, code] of files) {
    writeFileSync(join(copy, file), code);
  }
  const descriptions = join(copy, 'bin/openapi/descriptions.ts');
  const text = readFileSync(descriptions, 'utf8');
  writeFileSync(descriptions, text.replace('  cursor:', "  tag: 'Only these.',\n  cursor:"));
  expect(runIn(copy, 'bin/openapi.ts').stdout).toBe('Wrote docs/openapi.json.\n');
  expect(runIn(copy, 'node_modules/typescript/bin/tsc').stdout).toBe('');
  const { stderr } = runIn(copy, ...jest, 'test/contract/contract', '-t', 'listPlants');
  expect(stderr).toMatch(/^Tests: .* passed/m);
  expect(stderr).not.toMatch(/^Tests: .* failed/m);
});

test('the walks to functions of a stream and of a schedule work, and no test objects', async () => {
  const copy = temporaryFolder();
  copyProject(copy);
  const files = filesIn('Add a function that no request reaches');
  expect(files.size).toBe(6);
  for (const [file, code] of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), code);
  }
  const change = (file: string, from: string, to: string) => {
    const text = readFileSync(join(copy, file), 'utf8');
    expect(text).toContain(from);
    writeFileSync(join(copy, file), text.replace(from, to));
  };
  const stack = 'lib/plant-store-stack.ts';
  change(stack, 'import ', "import { addBackground } from './constructs/background.ts';\nimport ");
  change(stack, '    const rest =', '    addBackground(this, tables.plants);\n    const rest =');
  const tables = 'lib/constructs/tables.ts';
  const importing = "import { StreamViewType } from 'aws-cdk-lib/aws-dynamodb';\nimport ";
  change(tables, 'import ', importing);
  change(
    tables,
    '      deletionProtection',
    "      ...(name === 'plants' && { dynamoStream: StreamViewType.NEW_IMAGE }),\n" +
      '      deletionProtection',
  );

  const launcher = ['bin/node24.mjs'];
  const store = await startNpmStart(['--memory'], { cwd: copy, launcher });
  expect((await store.create(plantWith(1))).status).toBe(201);
  expect((await store.end()).code).toBe(0);
  const [leftOut = ''] = /^Not imitated here: .*$/m.exec(store.output.stderr) ?? [];
  // CDK leaves the hyphens out of logical ids.
  const idOf = (file: string) => `Background${file.replaceAll('-', '')}`;
  for (const resource of [
    'AWS::SQS::Queue BackgroundQueue',
    `AWS::Lambda::EventSourceMapping ${idOf('tell-new-plants')}`,
    'AWS::Events::Rule BackgroundDaily',
    ` ${idOf('tell-new-plants')}`,
    ` ${idOf('count-plants')}`,
  ]) {
    expect(leftOut).toContain(resource);
  }

  const suites = ['test/plants/tell-new-plants', 'test/plants/count-plants', 'test/stack'];
  const { stderr } = runIn(copy, ...jest, ...suites);
  expect(stderr).toMatch(/^Tests: .* passed/m);
  expect(stderr).not.toMatch(/^Tests: .* failed/m);
});
