import { EventEmitter, once } from 'node:events';
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { copyProject } from '../../support/checkout.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { eventually } from '../../support/eventually.ts';
import { testOnPosix } from '../../support/posix.ts';
import { startNpmStart } from '../../support/program.ts';

const list = `
interface Event {
  path: string;
}
export async function handler({ path }: Event): Promise<object> {
  const length: number = path.length;
  return { statusCode: 200, body: String(length) };
}
`;
const lineNumber = list.split('\n').findIndex((line) => line.includes('return'));

/** Answers of the debug protocol are what the protocol says. */
type Json = ReturnType<typeof JSON.parse>;

/** Attaches to the debugger of a process. Returns what sends a command and returns its result. */
async function attach(url: string, onEvent: (method: string, params: Json) => void) {
  const socket = new WebSocket(url);
  const answers = new Map<number, PromiseWithResolvers<Json>>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error, method, params } = JSON.parse(String(data));
    if (error) {
      answers.get(id)?.reject(new Error(error.message));
    } else if (id) {
      answers.get(id)?.resolve(result);
    } else {
      onEvent(method, params);
    }
  });
  await eventually(`a connection to ${url}`, once(socket, 'open'));
  return (method: string, params: object = {}) => {
    const id = answers.size + 1;
    const answer = Promise.withResolvers<Json>();
    answers.set(id, answer);
    socket.send(JSON.stringify({ id, method, params }));
    return eventually(`an answer to ${method}`, answer.promise);
  };
}

/** Starts `npm start -- --inspect` in a copy, whose list of plants has a breakpoint. */
async function startDebugged() {
  const cwd = temporaryFolder();
  copyProject(cwd);
  const source = join(cwd, 'functions', 'list-plants.ts');
  writeFileSync(source, list);
  const args = ['--memory', '--inspect=127.0.0.1:0'];
  const store = await startNpmStart(args, { cwd, launcher: ['bin/node24.mjs'] });
  const url = /ws:\S+/.exec(await store.line(/^Debugger listening on ws:/))?.[0] ?? '';

  /** What the thread tells, by the event or the number of a command. */
  const told = new EventEmitter();
  const attached = Promise.withResolvers<string>();
  const send = await attach(url, (method, { sessionId, workerInfo, message }) => {
    if (method === 'NodeWorker.attachedToWorker' && workerInfo.title.includes('functions')) {
      attached.resolve(sessionId);
    } else if (method === 'NodeWorker.receivedMessageFromWorker') {
      const { id, result, method: event, params } = JSON.parse(message);
      told.emit(event ?? `${id}`, event === undefined ? result : params);
    }
  });
  await send('NodeWorker.enable', { waitForDebuggerOnStart: false });
  const sessionId = await store.waitFor('the thread of the functions', attached.promise);

  const next = async (event: string): Promise<Json> => (await once(told, event))[0];
  let commands = 0;
  async function tell(method: string, params: object = {}): Promise<Json> {
    commands += 1;
    const answer = next(`${commands}`);
    const message = JSON.stringify({ id: commands, method, params });
    await send('NodeWorker.sendMessageToWorker', { sessionId, message });
    return store.waitFor(`an answer to ${method}`, answer);
  }
  await tell('Debugger.enable');
  const breakpoint = { url: pathToFileURL(realpathSync(source)).href, lineNumber };
  const { locations } = await tell('Debugger.setBreakpointByUrl', breakpoint);
  expect(locations).toMatchObject([{ lineNumber }]);
  const paused = () => store.waitFor('a pause', next('Debugger.paused'));
  return { ...store, tell, paused };
}

test('a breakpoint in TypeScript pauses a request, which then gets its answer', async () => {
  const { list: send, paused, tell, stop } = await startDebugged();
  const pausing = paused();
  const answer = send();
  const [{ callFrameId }] = (await pausing).callFrames;
  // Longer than a function may take, by its own clock.
  const expression = 'Date.now = () => performance.now() + 1e15; length';
  const { result } = await tell('Debugger.evaluateOnCallFrame', { callFrameId, expression });
  expect(result).toMatchObject({ value: '/plants'.length });
  await tell('Debugger.resume');
  const response = await answer;
  expect([response.status, await response.text()]).toEqual([200, '7']);
  await stop();
});

const testSignals = testOnPosix('a process cannot handle the signals of another one there');

testSignals('it ends although a debugger has paused a function', async () => {
  const { list: send, paused, stop } = await startDebugged();
  const pausing = paused();
  const lost = send().catch(() => 'lost');
  await pausing;
  await stop();
  expect(await lost).toBe('lost');
});
