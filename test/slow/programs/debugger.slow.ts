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

/** A session of the debug protocol, whose messages `send` passes on. */
function debugSession(send: (message: string) => unknown) {
  /** Events by their names, and results by the numbers of their commands. */
  const messages = new EventEmitter();
  let commands = 0;
  const next = async (event: string): Promise<Json> =>
    (await eventually(`the message ${event}`, once(messages, event)))[0];
  return {
    messages,
    next,
    receive(text: string): void {
      const { id, method, params, result, error } = JSON.parse(text);
      messages.emit(method ?? `${id}`, params ?? result ?? error);
    },
    /** Sends a command, and returns its result. */
    tell(method: string, params: object = {}): Promise<Json> {
      commands += 1;
      const result = next(`${commands}`);
      send(JSON.stringify({ id: commands, method, params }));
      return result;
    },
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

  const socket = new WebSocket(url);
  await eventually(`a connection to ${url}`, once(socket, 'open'));
  const main = debugSession((message) => socket.send(message));
  socket.addEventListener('message', ({ data }) => main.receive(`${data}`));
  const attached = main.next('NodeWorker.attachedToWorker');
  await main.tell('NodeWorker.enable', { waitForDebuggerOnStart: false });
  const { sessionId } = await attached;
  const { tell, next, receive } = debugSession((message) =>
    main.tell('NodeWorker.sendMessageToWorker', { sessionId, message }),
  );
  main.messages.on('NodeWorker.receivedMessageFromWorker', ({ message }) => receive(message));
  await tell('Debugger.enable');
  const breakpoint = { url: pathToFileURL(realpathSync(source)).href, lineNumber };
  const { locations } = await tell('Debugger.setBreakpointByUrl', breakpoint);
  expect(locations).toMatchObject([{ lineNumber }]);
  return { ...store, tell, paused: () => next('Debugger.paused') };
}

test('a breakpoint in TypeScript pauses a request, which then gets its response', async () => {
  const { list: send, paused, tell, stop } = await startDebugged();
  const pausing = paused();
  const responding = send();
  const [{ callFrameId }] = (await pausing).callFrames;
  const evaluated = { callFrameId, expression: 'length' };
  const { result } = await tell('Debugger.evaluateOnCallFrame', evaluated);
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
