import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from '@jest/globals';
import { root } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { testOnPosix } from '../support/posix.ts';
import { startProgram } from '../support/program.ts';

const lifecycle = pathToFileURL(join(root, 'bin', 'command-line', 'lifecycle.ts'));

/** Starts a program whose parts say what becomes of them. `body` starts them. */
function start(body: string, ...launcher: string[]) {
  const file = join(temporaryFolder(), 'program.mjs');
  writeFileSync(
    file,
    `import { lifecycle } from ${JSON.stringify(lifecycle)};
    const part = (name, stop = () => {}) => {
      console.log('start ' + name);
      return { stop: async () => { console.log('stop ' + name); await stop(); } };
    };
    const fail = (text) => { throw new Error(text); };
    const sigterm = new Promise((resolve) => process.once('SIGTERM', () => setImmediate(resolve)));
    setInterval(() => {}, 1000);
    const ready = () => { console.log('ready'); return new Promise(() => {}); };
    await lifecycle(async (start) => {
      ${body}
    });`,
  );
  return startProgram(process.execPath, [...launcher, file]);
}
const one = "await start(() => part('one'));";
const two = `${one} await start(() => part('two'));`;
const inReverse = ['start one', 'start two', 'ready', 'stop two', 'stop one'];

const testSignals = testOnPosix('a process cannot handle the signals of another one there');

interface Case {
  what: string;
  /** Starts the parts. */
  body: string;
  /** The signals that the program gets, by the line after which it gets them. */
  signals: Record<string, NodeJS.Signals>;
  /** The lines that it prints. */
  said: string[];
  /** Why it fails, if it does. */
  error?: string;
}

testSignals.each<Case>([
  ...(['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => ({
    what: `${signal} stops the parts`,
    body: `${two} await ready();`,
    signals: { ready: signal },
    said: inReverse,
  })),
  {
    what: 'a second signal does not interrupt the cleanup',
    body: `${one} await start(() => part('two', () => sigterm)); await ready();`,
    signals: { ready: 'SIGINT', 'stop two': 'SIGTERM' },
    said: inReverse,
  },
  {
    what: 'after a signal, a part that is being started is stopped and no other starts',
    body: `
      await start(async () => { const slow = part('slow'); await sigterm; return slow; });
      ${two}`,
    signals: { 'start slow': 'SIGTERM' },
    said: ['start slow', 'stop slow'],
  },
  {
    what: 'an error stops the parts',
    body: `${two} fail('It is broken.');`,
    signals: {},
    said: inReverse.filter((line) => line !== 'ready'),
    error: 'It is broken.',
  },
  {
    what: 'a part that does not start stops the others',
    body: `${one} await start(() => fail('Taken.'));`,
    signals: {},
    said: ['start one', 'stop one'],
    error: 'Taken.',
  },
  {
    what: 'a part that does not stop is reported, and the others stop',
    body: `${one} await start(() => part('two', () => fail('It hangs.'))); await ready();`,
    signals: { ready: 'SIGTERM' },
    said: inReverse,
    error: 'It hangs.',
  },
])('$what', async ({ body, signals, said, error }) => {
  const { child, line, ended } = start(body);
  for (const [text, signal] of Object.entries(signals)) {
    await line(new RegExp(`^${text}$`));
    child.kill(signal);
  }
  expect(await ended()).toEqual({
    code: error ? 1 : 0,
    stdout: said.map((text) => `${text}\n`).join(''),
    stderr: error ? `error: ${error}\n` : '',
  });
});

testSignals('the parts stop if the launcher was killed', async () => {
  const { child, line, ended } = start(`${two} await ready();`, join(root, 'bin', 'node24.mjs'));
  await line(/^ready$/);
  child.kill('SIGKILL');
  expect((await ended()).stdout.trim().split('\n')).toEqual(inReverse);
});
