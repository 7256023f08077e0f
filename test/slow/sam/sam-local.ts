import { execFileSync } from 'node:child_process';
import { issueToken } from '../../../bin/command-line/access-tokens.ts';
import { allScopes } from '../../../functions/shared/operations.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { localDocumentClient } from '../../../lib/offline/database-client.ts';
import { finallyDo } from '../../support/cleanup.ts';
import { type Ended, type Program, startProgram } from '../../support/program.ts';

const freePorts = ['--port', '0', '--dynamodb-port', '0'];

/** Starts a script of package.json as its users do. `npm run sam` gets free ports. */
export function npmRun(
  script: 'contract' | 'sam',
  args: string[],
  environment: NodeJS.ProcessEnv = {},
): Program {
  const options = [...(script === 'sam' ? freePorts : []), ...args];
  return startProgram('npm', ['run', '-s', script, '--', ...options], {
    env: { ...process.env, ...environment },
    // A terminal too gives each program a process group of its own.
    detached: true,
    // The contract is a whole suite, which takes long on a busy machine.
    seconds: script === 'contract' ? 1800 : 240,
  });
}

/** A running `npm run sam`. */
export interface SamLocal {
  program: Program;
  baseUrl: string;
  dynamodbEndpoint: string;
  /** Ends it by SIGTERM, as a supervisor does. */
  stop(): Promise<Ended>;
  /** Issues a token. Resolves with it. */
  issue(owner: string, scopes?: readonly string[]): Promise<string>;
}

/** Starts `npm run sam` in memory, with arguments for SAM CLI, and waits until it is ready. */
export async function startSamLocal(...args: string[]): Promise<SamLocal> {
  const program = npmRun('sam', ['--memory', '--json', '--', ...args]);
  const stop = () => {
    program.child.kill('SIGTERM');
    return program.ended();
  };
  finallyDo(stop);
  const ready: { baseUrl: string; dynamodbEndpoint: string } = JSON.parse(
    await program.line(/^\{"baseUrl"/),
  );
  const database = localDocumentClient(ready.dynamodbEndpoint);
  finallyDo(() => database.destroy());
  const issue = async (owner: string, scopes = allScopes) => {
    const grant = { owner, scopes, label: 'test', expires: Math.floor(Date.now() / 1000) + 3600 };
    return (await issueToken(database, tableIds.accessTokens, grant)).token;
  };
  return { program, ...ready, stop, issue };
}

const output = (command: string, args: string[]) =>
  execFileSync(command, args, { encoding: 'utf8' }).split('\n');

/** Returns the containers that a program has started and that still exist, running or not. */
export function containersOf({ lines }: Program): string[] {
  const all = output('docker', ['ps', '--all', '--quiet', '--no-trunc']);
  return lines
    .flatMap((line) => /SAM_CONTAINER_ID: (\w+)/.exec(line)?.[1] ?? [])
    .filter((id) => all.includes(id));
}

/** Returns what a program has left behind: containers, and processes of SAM CLI. */
export function leftBehind(program: Program): string[] {
  const processes = output('ps', ['-e', '-o', 'args']);
  const ofSam = processes.filter((args) => args.includes('sam') && args.includes('start-api'));
  return [...containersOf(program), ...ofSam];
}
