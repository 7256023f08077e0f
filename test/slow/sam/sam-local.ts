import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { issueToken } from '../../../bin/administration/access-tokens.ts';
import { allScopes } from '../../../functions/shared/operations.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { eventually } from '../../support/eventually.ts';
import { root } from '../../support/project.ts';

export interface Program {
  process: ChildProcess;
  /** The lines that it has written so far to stdout and stderr. */
  lines: string[];
  /** Resolves to the first line that matches. Rejects if the program ends without one. */
  line(form: RegExp): Promise<string>;
  /** Resolves to its exit code once it has ended. */
  ended: Promise<number | null>;
}

/** Starts a script of package.json as its users do. */
export function npmRun(
  script: string,
  args: string[],
  environment: NodeJS.ProcessEnv = {},
): Program {
  // A terminal too gives each program a process group of its own.
  const child = spawn('npm', ['run', '-s', script, '--', ...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    detached: true,
  });
  const lines: string[] = [];
  const waiting = new Set<(line: string) => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => {
      lines.push(line);
      for (const tell of waiting) tell(line);
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const line = (form: RegExp) => {
    const found = new Promise<string>((resolve) => {
      const tell = (text: string) => {
        if (form.test(text)) resolve(text);
      };
      for (const text of lines) tell(text);
      waiting.add(tell);
    });
    const early = ended.then(() =>
      Promise.reject(new Error(`It ended without a line like ${form}:\n${lines.join('\n')}`)),
    );
    return eventually(`a line like ${form} of npm run ${script}`, Promise.race([found, early]), {
      seconds: 240,
      instead: () => lines.join('\n'),
    });
  };
  return { process: child, lines, line, ended };
}

export interface Ready {
  baseUrl: string;
  token: string;
  dynamodbEndpoint: string;
}

export interface SamLocal {
  program: Program;
  ready: Ready;
  /** Ends it by SIGTERM, as a supervisor does. */
  stop(): Promise<unknown>;
}

/**
 * Starts `npm run sam` on free ports and in memory, with arguments for SAM CLI, and waits until it
 * is ready.
 */
export async function startSamLocal(args: string[] = []): Promise<SamLocal> {
  const program = npmRun('sam', [
    '--memory',
    '--port',
    '0',
    '--dynamodb-port',
    '0',
    '--json',
    '--',
    ...args,
  ]);
  const ready = JSON.parse(await program.line(/^\{"baseUrl"/));
  return {
    program,
    ready,
    stop() {
      program.process.kill('SIGTERM');
      return eventually('the end of npm run sam', program.ended, { seconds: 120 });
    },
  };
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

/**
 * Returns what a program has left behind: containers, processes with its template among their
 * arguments, and the folder of the template.
 */
export function leftBehind(program: Program): string[] {
  const [assembly] = program.lines.flatMap(
    (line) => /Mounting (.*)\/asset\.\w+ as /.exec(line)?.[1] ?? [],
  );
  if (!assembly)
    throw new Error(`No line names the template's folder:\n${program.lines.join('\n')}`);
  const processes = output('ps', ['-e', '-o', 'args']).filter((args) => args.includes(assembly));
  return [...containersOf(program), ...processes, ...(existsSync(assembly) ? [assembly] : [])];
}

export async function issue(
  database: DynamoDBDocumentClient,
  owner: string,
  scopes = allScopes,
): Promise<string> {
  const expires = Math.floor(Date.now() / 1000) + 3600;
  return (
    await issueToken(database, tableIds.accessTokens, { owner, scopes, label: 'test', expires })
  ).token;
}
