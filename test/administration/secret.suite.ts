import { randomUUID } from 'node:crypto';
import { openSync } from 'node:fs';
import { devNull } from 'node:os';
import { expect } from '@jest/globals';
import { tokenProgram } from '../../bin/token.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { issueToken, listTokens } from '../../lib/tokens/tokens.ts';
import { openDatabase } from '../support/database/engine.ts';
import { testOnPosix } from '../support/posix.ts';
import { type Ended, startProgram } from '../support/program.ts';
import { runHere } from '../support/programs/run.ts';

const { endpoint, database } = await openDatabase();
const table = tableIds.accessTokens;

const noOutput =
  'error: Nothing was written, because standard output is closed or /dev/null, and the token would be ' +
  'lost. Redirect it elsewhere.';
const lost = (reason: string) =>
  `error: Cannot write the new token (${reason}), which works. ` +
  'Run "revoke NEW_ID", then repeat the command.';

type Run = (line: string) => Promise<Ended>;
const inShell =
  (redirection: string): Run =>
  (line) => {
    const command = `exec "${process.execPath}" bin/token.ts ${line} ${redirection}`;
    const program = startProgram('sh', ['-c', command]);
    if (redirection === '') {
      // The reader of the output has gone.
      program.child.stdout.destroy();
    }
    return program.ended();
  };
const withOutput =
  (members: object): Run =>
  (line) =>
    runHere(() => {
      Object.assign(process.stdout, members);
      return tokenProgram();
    }, line);

// Each command meets an output that fails and one that cannot show the token.
const full = (_: unknown, __: unknown, done: (error: Error) => void) => done(new Error('ENOSPC'));
testOnPosix('a shell redirects the output').each([
  {
    line: 'issue, to an output that is full',
    run: withOutput({ _write: full }),
    error: lost('ENOSPC'),
  },
  { line: 'issue >&-', run: inShell('>&-'), error: noOutput },
  {
    line: 'rotate, whose reader has gone',
    run: inShell(''),
    error: `Using the database at ${endpoint}.\n${lost('write EPIPE')}`,
  },
  { line: 'rotate > /dev/null', run: withOutput({ fd: openSync(devNull, 'w') }), error: noOutput },
])('$line exits with 1 and leaves the old token as it was', async ({ line, run, error }) => {
  const owner = randomUUID();
  const input = { owner, scopes: allScopes, label: '', lifetime: 'never' } as const;
  const old = await issueToken(database, table, input);
  const command = line.startsWith('issue') ? `issue --owner ${owner}` : `rotate ${old.id}`;
  const { code, stderr } = await run(`${command} --dynamodb-endpoint ${endpoint}`);

  const tokens = await listTokens(database, table, owner);
  const [news] = tokens.filter(({ id }) => id !== old.id);
  const told = error.replace('NEW_ID', `${news?.id}`);
  expect({ code, stderr }).toEqual({ code: 1, stderr: `${told}\n` });
  expect(news === undefined).toBe(error === noOutput);
  expect(tokens).toContainEqual(expect.objectContaining({ status: 'active', record: old.record }));
});
