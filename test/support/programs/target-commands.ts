import { plantsProgram } from '../../../bin/plants.ts';
import { tokenProgram } from '../../../bin/token.ts';

/** Every command that reads or changes a table, without its target. */
export const targetCommands = [
  { program: tokenProgram, line: 'issue --owner alice' },
  { program: tokenProgram, line: 'list' },
  { program: tokenProgram, line: 'revoke Zk3v9QeXb2Lr' },
  { program: tokenProgram, line: 'rotate Zk3v9QeXb2Lr' },
  { program: plantsProgram, line: 'export - --owner alice' },
  { program: plantsProgram, line: 'import - --owner alice' },
  { program: plantsProgram, line: 'erase --owner alice' },
];
