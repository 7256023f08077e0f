import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { expect } from '@jest/globals';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { issueToken, listTokens } from '../../lib/tokens/tokens.ts';
import { openDatabase } from '../support/database/engine.ts';
import { testOnPosix } from '../support/posix.ts';
import { startProgram } from '../support/program.ts';

const { endpoint, database } = await openDatabase();
const table = tableIds.accessTokens;

const noOutput =
  'error: Nothing was written, because standard output is closed or /dev/null, and the token would be ' +
  'lost. Redirect it elsewhere.';
const lost = (reason: string) =>
  `Using the database at ${endpoint}.\nerror: Cannot write the new token (${reason}), which works. ` +
  'Run "revoke NEW_ID", then repeat the command.';

// The redirection of a shell. Without one, the reader of the output has gone. Each command meets an
// output that fails and one that cannot show the token.
const rows = [
  { command: 'issue --owner', to: '', error: lost('write EPIPE') },
  { command: 'issue --owner', to: '>&-', error: noOutput },
  {
    command: 'rotate',
    to: '> /dev/full',
    error: lost('ENOSPC: no space left on device, write'),
  },
  { command: 'rotate', to: '> /dev/null', error: noOutput },
];

testOnPosix('a shell redirects the output').each(
  // A Mac has no file that is always full.
  rows.filter(({ to }) => to !== '> /dev/full' || existsSync('/dev/full')),
)(
  '$command $to exits with 1 and leaves the old token as it was',
  async ({ command, to, error }) => {
    const owner = randomUUID();
    const input = { owner, scopes: allScopes, label: '', lifetime: 'never' } as const;
    const old = await issueToken(database, table, input);
    const value = command === 'rotate' ? old.id : owner;
    const line = `bin/token.ts ${command} ${value} --dynamodb-endpoint ${endpoint}`;
    const program = startProgram('sh', ['-c', `exec "${process.execPath}" ${line} ${to}`]);
    if (to === '') {
      program.child.stdout.destroy();
    }
    const { code, stderr } = await program.ended();

    const tokens = await listTokens(database, table, owner);
    const [news] = tokens.filter(({ id }) => id !== old.id);
    const told = error.replace('NEW_ID', `${news?.id}`);
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${told}\n` });
    expect(news === undefined).toBe(error === noOutput);
    expect(tokens).toContainEqual(
      expect.objectContaining({ status: 'active', record: old.record }),
    );
  },
);
