import { EventEmitter, once } from 'node:events';
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { copyProduct } from '../../support/checkout.ts';
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

/** The shapes of messages are those of the debug protocol. */
type Json = ReturnType<typeof JSON.parse>;

/**
 * Attaches to the debugger of a process. Returns a function that sends a command and returns its
 * result.
 */
async function attach(url: string, onEvent: (method: string, params: Json) => void) {
  const socket = new WebSocket(url);
  const results = new Map<number, PromiseWithResolvers<Json>>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error, method, params } = JSON.parse(String(data));
    if (error) {
      results.get(id)?.reject(new Error(error.message));
    } else if (id) {
      results.get(id)?.resolve(result);
    } else {
      onEvent(method, params);
    }
  });
  await eventually(`a connection to ${url}`, once(socket, 'open'));
  return (method: string, params: object = {}) => {
    const id = results.size + 1;
    const result = Promise.withResolvers<Json>();
    results.set(id, result);
    socket.send(JSON.stringify({ id, method, params }));
    return eventually(`a result of ${method}`, result.promise);
  };
}

/** Starts `npm start -- --inspect` in a copy of the project with a breakpoint in its list. */
async function startDebugged() {
  const cwd = temporaryFolder();
  copyProduct(cwd);
  const source = join(cwd, 'functions', 'list-plants.ts');
  writeFileSync(source, list);
  const args = ['--memory', '--inspect=127.0.0.1:0'];
  const command = ['bin/node24.mjs', 'bin/start.ts'];
  const store = await startNpmStart(args, { project: cwd, command });
  // Loads the functions.
  await store.list();
  const url = /ws:\S+/.exec(await store.line(/^Debugger listening on ws:/))?.[0] ?? '';

  /** Messages of the thread, by the event or the number of a command. */
  const messages = new EventEmitter();
  const attached = Promise.withResolvers<string>();
  const send = await attach(url, (method, { sessionId, workerInfo, message }) => {
    if (method === 'NodeWorker.attachedToWorker' && workerInfo.title.includes('functions')) {
      attached.resolve(sessionId);
    } else if (method === 'NodeWorker.receivedMessageFromWorker') {
      const { id, result, method: event, params } = JSON.parse(message);
      messages.emit(event ?? `${id}`, event === undefined ? result : params);
    }
  });
  await send('NodeWorker.enable', { waitForDebuggerOnStart: false });
  const sessionId = await store.waitFor('the thread of the functions', attached.promise);

  const next = async (event: string): Promise<Json> => (await once(messages, event))[0];
  let commands = 0;
  async function tell(method: string, params: object = {}): Promise<Json> {
    commands += 1;
    const result = next(`${commands}`);
    const message = JSON.stringify({ id: commands, method, params });
    await send('NodeWorker.sendMessageToWorker', { sessionId, message });
    return store.waitFor(`a result of ${method}`, result);
  }
  await tell('Debugger.enable');
  const breakpoint = { url: pathToFileURL(realpathSync(source)).href, lineNumber };
  const { locations } = await tell('Debugger.setBreakpointByUrl', breakpoint);
  expect(locations).toMatchObject([{ lineNumber }]);
  const paused = () => store.waitFor('a pause', next('Debugger.paused'));
  return { ...store, tell, paused };
}

test('a breakpoint in TypeScript pauses a request, which then gets its response', async () => {
  const { list: send, paused, tell, stop } = await startDebugged();
  const pausing = paused();
  const responding = send();
  const [{ callFrameId }] = (await pausing).callFrames;
  // By its own clock, the function takes longer than its timeout.
  const expression = 'Date.now = () => performance.now() + 1e15; length';
  const { result } = await tell('Debugger.evaluateOnCallFrame', { callFrameId, expression });
  expect(result).toMatchObject({ value: '/plants'.length });
  await tell('Debugger.resume');
  const response = await responding;
  expect([response.status, await response.text()]).toEqual([200, '7']);
  await stop();
});

const testSignals = testOnPosix('a process cannot handle the signals of another one there');

testSignals('npm start stops while a debugger pauses a function', async () => {
  const { list: send, paused, stop } = await startDebugged();
  const pausing = paused();
  const lost = send().catch(() => 'lost');
  await pausing;
  await stop();
  expect(await lost).toBe('lost');
});
