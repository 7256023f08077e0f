import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { issueToken } from '../../bin/token/administration.ts';
import { allScopes } from '../../functions/contract/scopes.ts';
import { tableIds } from '../../functions/contract/table-schema.ts';

export const root = join(import.meta.dirname, '..', '..');

export interface Program {
  process: ChildProcess;
  /** What it has written so far, line by line: stdout and stderr together. */
  lines: string[];
  /** The first line, from now on, that has the form. Rejects where the program ends without one. */
  line(form: RegExp): Promise<string>;
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>;
}

/** Starts a script of package.json as its users do. */
export function npmRun(
  script: string,
  args: string[],
  environment: NodeJS.ProcessEnv = {},
): Program {
  // A group of its own, as a terminal gives it.
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
    return Promise.race([found, early]);
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
  /** Ends it as a supervisor does. */
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
      return program.ended;
    },
  };
}

const output = (command: string, args: string[]) =>
  execFileSync(command, args, { encoding: 'utf8' }).split('\n');

/** The containers that a program of ours has started and that are still there, running or not. */
export function containersOf({ lines }: Program): string[] {
  const all = output('docker', ['ps', '--all', '--quiet', '--no-trunc']);
  return lines
    .flatMap((line) => /SAM_CONTAINER_ID: (\w+)/.exec(line)?.[1] ?? [])
    .filter((id) => all.includes(id));
}

/**
 * What a program of ours has left behind: containers, processes that were told of its template, and
 * the folder of that template.
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
