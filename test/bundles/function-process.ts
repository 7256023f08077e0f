import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

export interface LogLine {
  code: string;
  [field: string]: unknown;
}

/** The report of a function in a process of its own. */
export interface Run {
  /** Before the handler could be called. */
  atStart: { connections: number; secureContexts: number; log: LogLine[] };
  /** For each event, the result of the handler or the error that it threw. */
  answers: Record<string, unknown>[];
  log: LogLine[];
  /** The modules of Node that were loaded until the first result. */
  modules: string[];
}

interface RunOptions {
  environment: Record<string, string>;
  events?: unknown[];
  /** Variables that are set after the start only. */
  late?: Record<string, string>;
}

/** Runs the file of a function in a new process and calls its handler with events. */
export async function runFunction(
  file: string,
  { environment, events = [], late = {} }: RunOptions,
): Promise<Run> {
  const program = join(import.meta.dirname, 'function-process.mjs');
  const options = { timeout: 100_000, env: environment };
  const child = spawn(process.execPath, ['--unhandled-rejections=strict', program], options);
  // A function that fails at once does not read its events.
  child.stdin
    .on('error', () => undefined)
    .end(JSON.stringify({ module: pathToFileURL(file).href, events, late }));
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  if (code !== 0 || stdout === '') {
    const end = signal ? `was stopped by ${signal}, after at most 100 s` : `exited with ${code}`;
    throw new Error(`The process of ${file} ${end}, without a report:\n${stderr}`);
  }
  return JSON.parse(stdout);
}
