import { expect, jest, test } from '@jest/globals';
import { npmRun, startSamLocal } from './sam-local.ts';

jest.setTimeout(1_800_000);

test('sam local passes the contract tests', async () => {
  const { baseUrl, issue } = await startSamLocal();
  const suite = npmRun('contract', ['--target', 'sam', '--base-url', baseUrl], {
    CONTRACT_TOKEN: await issue('alice'),
    CONTRACT_OTHER_TOKEN: await issue('bob'),
    CONTRACT_READ_TOKEN: await issue('carol', ['plants:read']),
  });
  const { code } = await suite.ended();
  // The log of CI shows what was checked here, what was left out, and why.
  const isTold = (line: string) => code !== 0 || /^(Left out|Tests|Time): /.test(line);
  const told = suite.lines.filter(isTold).map((line) => `sam local: ${line}\n`);
  process.stdout.write(told.join(''));
  expect(code).toBe(0);
});
