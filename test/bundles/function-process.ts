import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { lambdaEnvironment } from '../support/stack/lambda-environment.ts';

/** What a function did in a process of its own. */
export interface Run {
  /** What was done before the handler could be called. */
  atStart: {
    signatures: number;
    connections: number;
    secureContexts: number;
    waitedMs: number;
    log: unknown[];
  };
  /** What the handler returned for each event, or the error that it threw. */
  answers: unknown[];
  log: unknown[];
  /** The modules of Node that were loaded. */
  modules: string[];
}

export interface RunOptions {
  events?: unknown[];
  /** Of the database. */
  endpoint?: string;
  /**
   * Whether the clock stands still and nothing is random, so that two runs send the same requests.
   */
  frozen?: boolean;
}

/** Runs a bundle in a new process and calls its handler with events. */
export async function runFunction(
  folder: string,
  { events = [], endpoint = '', frozen = false }: RunOptions = {},
): Promise<Run> {
  const child = spawn(
    process.execPath,
    ['--unhandled-rejections=strict', `${import.meta.dirname}/function-process.mjs`],
    {
      timeout: 30_000,
      env: {
        ...lambdaEnvironment(endpoint),
        _X_AMZN_TRACE_ID: 'Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1',
      },
    },
  );
  // A function that fails at once does not read its events.
  child.stdin
    .on('error', () => undefined)
    .end(JSON.stringify({ folder: pathToFileURL(folder).href, events, frozen }));
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  if (code !== 0 || stdout === '') {
    const end = signal ? `was ended by ${signal}, after at most 30 s` : `ended with ${code}`;
    throw new Error(`The process of ${folder} ${end}, before it told what it did:\n${stderr}`);
  }
  return JSON.parse(stdout);
}
