import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { root } from '../../support/checkout.ts';
import { serve } from '../../support/http/servers.ts';
import { plantWith } from '../../support/plant.ts';
import { testOnPosix } from '../../support/posix.ts';
import { startNpmStart, startProgram } from '../../support/program.ts';
import { attach } from '../devtools.ts';

const source = join(root, 'functions', 'plants', 'create.ts');
const statement = 'await create(';
const lineOf = (code: string) => code.split('\n').findIndex((line) => line.includes(statement));

/** Answers of the debug protocol are what the protocol says. */
type Json = ReturnType<typeof JSON.parse>;

/** Starts `npm start` with a debugger whose breakpoint is in create.ts. */
async function startDebugged() {
  const launcher = ['bin/node24.mjs'];
  const store = await startNpmStart(['--memory', '--inspect=127.0.0.1:0'], { launcher });
  const [, url = ''] = /^Debugger listening on (ws:\S+)$/m.exec(store.output.stderr) ?? [];
  // The thread of a function starts with the first request.
  expect((await store.create(plantWith(1))).status).toBe(201);

  /** What the thread tells, by the event or the number of a command. */
  const told = new EventEmitter();
  const attached = Promise.withResolvers<string>();
  const send = await attach(url, (method, { sessionId, workerInfo, message }) => {
    if (method === 'NodeWorker.attachedToWorker' && /\bCreatePlant$/.test(workerInfo.title)) {
      attached.resolve(sessionId);
    } else if (method === 'NodeWorker.receivedMessageFromWorker') {
      const { id, result, method: event, params } = JSON.parse(message);
      told.emit(event ?? `${id}`, event === undefined ? result : params);
    }
  });
  await send('NodeWorker.enable', { waitForDebuggerOnStart: false });
  const sessionId = await store.comes('the thread of CreatePlant', attached.promise);

  const next = async (event: string): Promise<Json> => (await once(told, event))[0];
  let commands = 0;
  async function tell(method: string, params: object = {}): Promise<Json> {
    commands += 1;
    const answer = next(`${commands}`);
    const message = JSON.stringify({ id: commands, method, params });
    await send('NodeWorker.sendMessageToWorker', { sessionId, message });
    return store.comes(`an answer to ${method}`, answer);
  }

  const scripts: string[] = [];
  told.on('Debugger.scriptParsed', (script) => scripts.push(script.url));
  await tell('Debugger.enable');
  const bundle = scripts.find((script) => /^(file:|[A-Z/]).*[\\/]index\.js$/.test(script)) ?? '';
  const path = bundle.startsWith('file:') ? fileURLToPath(bundle) : bundle;
  const code = readFileSync(path, 'utf8');
  const lineNumber = lineOf(code);
  const { locations } = await tell('Debugger.setBreakpointByUrl', { url: bundle, lineNumber });

  // Where an editor shows the breakpoint.
  const map = JSON.parse(readFileSync(`${path}.map`, 'utf8'));
  const [{ columnNumber }] = locations;
  const { originalSource, originalLine } = new SourceMap(map).findEntry(
    lineNumber,
    columnNumber,
  ) as SourceMapping;
  expect({ source: new URL(originalSource, map.sourceRoot).href, line: originalLine }).toEqual({
    source: pathToFileURL(source).href,
    line: lineOf(readFileSync(source, 'utf8')),
  });
  const paused = () => store.comes('a pause', next('Debugger.paused'));
  return { ...store, tell, paused };
}

test('a port that is taken for the debugger ends npm start, which says so', async () => {
  const { port } = new URL(await serve(() => {}));
  const args = [
    'bin/node24.mjs',
    'bin/start.ts',
    '--memory',
    '--port',
    '0',
    '--dynamodb-port',
    '0',
  ];
  const { ended } = startProgram(process.execPath, [...args, `--inspect=127.0.0.1:${port}`]);
  const { code, stderr } = await ended();
  expect(stderr).toContain('error: The debugger cannot listen there. Choose another port');
  expect(code).toBe(1);
});

test('a breakpoint in create.ts pauses a request, which then goes on', async () => {
  const { create, paused, tell, end, output } = await startDebugged();
  const pausing = paused();
  const answer = create(plantWith(2));
  const [{ callFrameId }] = (await pausing).callFrames;
  const expression = 'owner + plant.id';
  const { result } = await tell('Debugger.evaluateOnCallFrame', { callFrameId, expression });
  expect(result).toMatchObject({ value: 'demo2' });
  await tell('Debugger.resume');
  expect((await answer).status).toBe(201);
  expect((await end()).code).toBe(0);
  expect(output.stderr).toMatch(/ POST {3}\/v1\/plants 201 /);
});

const testSignals = testOnPosix('a process cannot handle the signals of another one there');

testSignals('it ends although a debugger has paused a function', async () => {
  const { create, paused, end } = await startDebugged();
  const pausing = paused();
  const lost = create(plantWith(2)).catch(() => 'lost');
  await pausing;
  expect((await end()).code).toBe(0);
  expect(await lost).toBe('lost');
});

testSignals('with --inspect-brk it waits for the debugger before all else', async () => {
  const args = ['bin/node24.mjs', 'bin/start.ts', '--memory', '--inspect-brk=127.0.0.1:0'];
  const ports = ['--port', '0', '--dynamodb-port', '0'];
  const program = startProgram(process.execPath, [...args, ...ports]);
  const [url = ''] = /ws:\S+/.exec(await program.line(/^Debugger listening on ws:/)) ?? [];
  const isPaused = Promise.withResolvers<string>();
  const send = await attach(url, (method, { reason }) => {
    if (method === 'Debugger.paused') {
      isPaused.resolve(reason);
    }
  });
  await send('Debugger.enable');
  await send('Runtime.runIfWaitingForDebugger');
  expect(await program.comes('the first line', isPaused.promise)).toBe('Break on start');
  expect(program.output.stdout).toBe('');
  await send('Debugger.resume');
  await program.line(/^Ctrl-C ends it/);
  program.child.kill('SIGINT');
  expect((await program.ended()).code).toBe(0);
});
