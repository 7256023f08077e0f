import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';

const lifecycle = new URL('../../bin/command-line/lifecycle.ts', import.meta.url).href;

/** A program whose parts say what becomes of them. `body` starts them. */
function startProgram(body: string) {
  const file = join(temporaryFolder(), 'program.mjs');
  writeFileSync(
    file,
    `import { setTimeout } from 'node:timers/promises';
    import { lifecycle } from ${JSON.stringify(lifecycle)};
    const part = (name, stop = () => {}) => {
      console.log('start ' + name);
      return { stop: async () => { console.log('stop ' + name); await stop(); } };
    };
    const sigterm = new Promise((resolve) => process.once('SIGTERM', () => setImmediate(resolve)));
    setInterval(() => {}, 1000);
    const ready = () => { console.log('ready'); return new Promise(() => {}); };
    await lifecycle(async (start) => { ${body} });`,
  );
  const child = fork(file, { stdio: 'pipe', execArgv: [] });
  finallyDo(() => child.kill('SIGKILL'));
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('The program has no pipes.');
  let output = '';
  stdout.on('data', (chunk) => (output += chunk));
  const instead = () => output;
  const ended = eventually(
    'the end of the program',
    Promise.all([once(child, 'exit'), text(stdout), text(stderr)]),
    { instead },
  ).then(([[code], said, errors]) => ({ code, said: said.trim().split('\n'), errors }));
  const says = (line: string) =>
    eventually(`the line "${line}"`, () => output.includes(`${line}\n`), { instead });
  return { child, says, ended };
}

const twoParts = `await start(() => part('one')); await start(() => part('two'));`;

test.each<[string, (child: ReturnType<typeof fork>) => unknown]>([
  ['SIGINT', (child) => child.kill('SIGINT')],
  ['SIGTERM', (child) => child.kill('SIGTERM')],
  ['SIGHUP', (child) => child.kill('SIGHUP')],
  ['the end of the launcher', (child) => child.disconnect()],
])('%s stops the parts in reverse order', async (_, interrupt) => {
  const { child, says, ended } = startProgram(`${twoParts} await ready();`);
  await says('ready');
  interrupt(child);
  expect(await ended).toEqual({
    code: 0,
    said: ['start one', 'start two', 'ready', 'stop two', 'stop one'],
    errors: '',
  });
});

test('a second signal does not interrupt the cleanup', async () => {
  const { child, says, ended } = startProgram(
    `await start(() => part('one'));
    await start(() => part('two', () => sigterm));
    await ready();`,
  );
  await says('ready');
  child.kill('SIGINT');
  await says('stop two');
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({
    code: 0,
    said: expect.arrayContaining(['stop one']),
    errors: '',
  });
});

test.each([
  ['an error', `${twoParts} throw new Error('It is broken.');`, 'It is broken.', 'one two'],
  [
    'a part that does not start',
    `await start(() => part('one')); await start(async () => { throw new Error('Taken.'); });`,
    'Taken.',
    'one',
  ],
])(
  '%s is reported once, stops the parts and makes the exit code 1',
  async (_, body, error, parts) => {
    const started = parts.split(' ');
    expect(await startProgram(body).ended).toEqual({
      code: 1,
      said: [
        ...started.map((part) => `start ${part}`),
        ...started.toReversed().map((part) => `stop ${part}`),
      ],
      errors: `error: ${error}\n`,
    });
  },
);

test('a part that does not stop is reported, and the others stop', async () => {
  const { child, says, ended } = startProgram(
    `await start(() => part('one'));
    await start(() => part('two', () => { throw new Error('It hangs.'); }));
    await ready();`,
  );
  await says('ready');
  child.kill('SIGTERM');
  expect(await ended).toEqual({
    code: 1,
    said: ['start one', 'start two', 'ready', 'stop two', 'stop one'],
    errors: 'error: It hangs.\n',
  });
});

test('after a signal, a part that is being started is stopped and no other starts', async () => {
  const { child, says, ended } = startProgram(
    `await start(async () => { const slow = part('slow'); await sigterm; return slow; });
    await start(() => part('late'));`,
  );
  await says('start slow');
  child.kill('SIGTERM');
  expect(await ended).toEqual({ code: 0, said: ['start slow', 'stop slow'], errors: '' });
});
