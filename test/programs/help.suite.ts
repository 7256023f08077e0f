import { expect, test } from '@jest/globals';
import { plantsProgram } from '../../bin/plants.ts';
import { tokenProgram } from '../../bin/token.ts';
import { runHere } from '../support/programs/run.ts';

test.each([
  ['token', tokenProgram, ['', 'issue', 'list', 'revoke', 'rotate']],
  ['plants', plantsProgram, ['', 'export', 'import', 'erase']],
] as const)('the help of npm run %s and of its commands', async (_, program, commands) => {
  for (const command of commands) {
    expect(await runHere(program, `${command} --help`)).toMatchSnapshot(command);
  }
});
