import { cpSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../lib/offline/emulator.ts';
import { listen } from '../../lib/offline/http/listen.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { keptAssembly } from '../support/stack/kept-assembly.ts';

/** Writes the assembly of the fixture stack. */
export const synthesizeFixture = () => keptAssembly(join(import.meta.dirname, 'fixture'));

/** Copies an assembly to a folder that is removed at the end of the test file. */
export function copyOf(assembly: string): string {
  const folder = join(temporaryFolder(), 'assembly');
  cpSync(assembly, folder, { recursive: true });
  return folder;
}

/** A log line, with the function and the trace that it belongs to. */
export interface LogLine {
  functionName: string;
  line: string;
  traceId: string | undefined;
}

/** The emulator with the fixture stack. */
export interface Fixture extends Emulator {
  /** The folder of the assembly. */
  assembly: string;
  /** What its functions have logged so far. */
  log: LogLine[];
  /** The base URL without the stage. */
  origin: string;
}

/** Starts the emulator with the fixture stack on a free port, until the test file ends. */
export async function startFixture(options: Partial<EmulatorOptions> = {}): Promise<Fixture> {
  const assembly = options.assembly ?? (await synthesizeFixture());
  const log: LogLine[] = [];
  const emulator = await startEmulator({
    assembly,
    port: 0,
    dynamodbEndpoint: 'http://127.0.0.1:1',
    log: (functionName, line, traceId) => log.push({ functionName, line, traceId }),
    ...options,
  });
  finallyDo(() => emulator.stop());
  return { ...emulator, assembly, log, origin: new URL(emulator.baseUrl).origin };
}

/** Returns the header with a token that tells the fixture's authorizer to answer or to throw. */
export const token = (says: { answer?: object; error?: string }): string[] => [
  'Authorization',
  `Bearer ${Buffer.from(JSON.stringify(says)).toString('base64url')}`,
];
export const answering = (Statement: unknown, more: object = {}) =>
  token({
    answer: { principalId: 'p', policyDocument: { Version: '2012-10-17', Statement }, ...more },
  });

/** A server that holds requests until it is told to answer, so that tests need no clock. */
export interface Gate {
  url: Promise<string>;
  /** Waits until so many requests wait. */
  holds(count: number): Promise<void>;
  /** Answers the waiting requests, except the first ones. */
  release(except?: number): void;
}

/** Starts a gate, until the test file ends. */
export function gate(): Gate {
  const held: ServerResponse[] = [];
  let onArrival = () => {};
  const server = createServer((_, response) => {
    held.push(response);
    onArrival();
  });
  finallyDo(() => server.close());
  return {
    url: listen(server, 0, '127.0.0.1').then((port) => `http://127.0.0.1:${port}`),
    holds: (count) =>
      new Promise<void>((resolve) => {
        onArrival = () => held.length >= count && resolve();
        onArrival();
      }),
    release(except = 0) {
      for (const response of held.splice(except)) {
        response.end();
      }
    },
  };
}
