import { tokenProgram } from './token/program.ts';

process.exitCode = await tokenProgram();
