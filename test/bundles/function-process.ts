import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

/** The report of a function in a process of its own. */
export interface Run {
  /** Before the handler could be called. */
  atStart: { connections: number; secureContexts: number; log: { code: string }[] };
  /** For each event, the result of the handler or the error that it threw. */
  results: Record<string, unknown>[];
  log: { code: string }[];
  /** The modules of Node that were loaded until the first result. */
  modules: string[];
}

/** Runs the file of a function in a new process and calls its handler with events. */
export async function runFunction(
  file: string,
  env: Record<string, string>,
  events: object[],
): Promise<Run> {
  const program = join(import.meta.dirname, 'function-process.mjs');
  const options = { timeout: 100_000, env };
  const child = spawn(process.execPath, ['--unhandled-rejections=strict', program], options);
  // A function that fails at once does not read its events.
  child.stdin
    .on('error', () => undefined)
    .end(JSON.stringify({ module: pathToFileURL(file).href, events }));
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
