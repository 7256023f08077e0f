import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readPage } from '../../docs/page.ts';
import { copyProject } from '../../support/checkout.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { startNpmStart } from '../../support/program.ts';

test('the walk to a function that no request reaches works, and no test objects', async () => {
  const copy = temporaryFolder();
  copyProject(copy);
  const [, section = ''] = readPage('docs/change-it.md').split(
    '## Add a function that no request reaches\n',
  );
  const blocks = section.matchAll(/^```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)^```$/gm);
  const files = new Map([...blocks].map(([, file = '', code = '']) => [file, code]));
  expect(files.size).toBe(5);
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
  change(stack, 'import ', "import { addNewPlants } from './constructs/new-plants.ts';\nimport ");
  change(stack, '    const rest =', '    addNewPlants(this, tables.plants);\n    const rest =');
  const tables = 'lib/constructs/tables.ts';
  change(tables, 'AttributeType, ', 'StreamViewType, AttributeType, ');
  change(
    tables,
    '      deletionProtection',
    "      ...(name === 'plants' && { dynamoStream: StreamViewType.NEW_IMAGE }),\n" +
      '      deletionProtection',
  );

  const launcher = ['bin/node24.mjs'];
  const store = await startNpmStart(['--memory'], { cwd: copy, launcher });
  expect((await store.create({ id: 1, name: 'Ficus' })).status).toBe(201);
  expect((await store.end()).code).toBe(0);
  const [leftOut = ''] = /^Not imitated here: .*$/m.exec(store.output.stderr) ?? [];
  for (const type of ['SQS::Queue', 'Lambda::Function', 'Lambda::EventSourceMapping']) {
    expect(leftOut).toMatch(new RegExp(`AWS::${type} NewPlants\\w+`));
  }

  const suites = ['test/plants/tell-new-plants', 'test/plants/count-plants', 'test/stack'];
  const node = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js'];
  const run = spawnSync(process.execPath, ['bin/node24.mjs', ...node, ...suites], {
    cwd: copy,
    encoding: 'utf8',
  });
  expect(run.stderr).toMatch(/^Tests: .* passed/m);
  expect(run.stderr).not.toMatch(/^Tests: .* failed/m);
});
