import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { localDocumentClient } from '../../../lib/database/database-client.ts';
import { issue, npmRun, type SamLocal, startSamLocal } from './sam-local.ts';

// One of the tests runs a whole suite, which takes long on a busy machine.
jest.setTimeout(1_800_000);

let sam: SamLocal;

beforeAll(async () => {
  sam = await startSamLocal();
});
afterAll(() => sam?.stop());

test('sam local passes the contract tests', async () => {
  const database = localDocumentClient(sam.ready.dynamodbEndpoint);
  const suite = npmRun('contract', ['--target', 'sam', '--base-url', sam.ready.baseUrl], {
    CONTRACT_TOKEN: await issue(database, 'alice'),
    CONTRACT_OTHER_TOKEN: await issue(database, 'bob'),
    CONTRACT_READ_TOKEN: await issue(database, 'carol', ['plants:read']),
  });
  database.destroy();
  const exitCode = await suite.ended;
  // The log of CI shows what was checked here, what was left out, and why.
  const told =
    exitCode === 0
      ? suite.lines.filter((line) => /^(Left out|Tests|Time): /.test(line))
      : suite.lines;
  process.stdout.write(`${told.map((line) => `sam local: ${line}`).join('\n')}\n`);
  expect(exitCode).toBe(0);
});
