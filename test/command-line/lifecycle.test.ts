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

testSignals.each<[what: string, body: string, signals: object, said: string[], error?: string]>([
  ['SIGINT stops the parts', `${two} await ready();`, { ready: 'SIGINT' }, inReverse],
  ['SIGTERM stops the parts', `${two} await ready();`, { ready: 'SIGTERM' }, inReverse],
  ['SIGHUP stops the parts', `${two} await ready();`, { ready: 'SIGHUP' }, inReverse],
  [
    'a second signal does not interrupt the cleanup',
    `${one} await start(() => part('two', () => sigterm)); await ready();`,
    { ready: 'SIGINT', 'stop two': 'SIGTERM' },
    inReverse,
  ],
  [
    'after a signal, a part that is being started is stopped and no other starts',
    `await start(async () => { const slow = part('slow'); await sigterm; return slow; }); ${two}`,
    { 'start slow': 'SIGTERM' },
    ['start slow', 'stop slow'],
  ],
  [
    'an error stops the parts',
    `${two} fail('It is broken.');`,
    {},
    inReverse.filter((line) => line !== 'ready'),
    'It is broken.',
  ],
  [
    'a part that does not start stops the others',
    `${one} await start(() => fail('Taken.'));`,
    {},
    ['start one', 'stop one'],
    'Taken.',
  ],
  [
    'a part that does not stop is reported, and the others stop',
    `${one} await start(() => part('two', () => fail('It hangs.'))); await ready();`,
    { ready: 'SIGTERM' },
    inReverse,
    'It hangs.',
  ],
])('%s', async (_, body, signals, said, ...[error]) => {
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
