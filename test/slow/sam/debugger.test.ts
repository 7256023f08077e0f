import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { bundle } from '../../../lib/bundle.ts';
import { root } from '../../support/checkout.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { freePort } from '../../support/http/free-port.ts';
import { attach } from '../devtools.ts';
import { leftBehind, startSamLocal } from './sam-local.ts';

const source = 'functions/plants/delete.ts';
const statement = 'remove(owner, path.id';
const lineOf = (text: string) => text.split('\n').findIndex((line) => line.includes(statement));

test('a debugger stops in TypeScript for longer than a function may, and ends whole', async () => {
  const port = await freePort();
  const sam = await startSamLocal('--debug-port', `${port}`, '--debug-function', 'DeletePlant');
  const headers = { Authorization: `Bearer ${await sam.issue('alice')}` };
  const answer = fetch(`${sam.baseUrl}/plants/5`, { method: 'DELETE', headers });
  await sam.program.line(/Debugger listening on/);

  const events = new EventEmitter();
  /** Returns the innermost frame of the next stop. */
  const paused = async (): Promise<CallFrame> =>
    (await once(events, 'Debugger.paused'))[0].callFrames[0];
  const [target] = await (await fetch(`http://127.0.0.1:${port}/json`)).json();
  const send = await attach(target.webSocketDebuggerUrl, (method, params) =>
    events.emit(method, params),
  );
  const bundles = temporaryFolder();
  bundle(bundles, 'inline');
  const code = readFileSync(join(bundles, 'delete-plant', 'index.js'), 'utf8');
  await send('Debugger.enable');
  const urlRegex = '/var/task/index\\.js$';
  await send('Debugger.setBreakpointByUrl', { urlRegex, lineNumber: lineOf(code) });
  await Promise.all([paused(), send('Runtime.runIfWaitingForDebugger')]);
  const [{ callFrameId, location }] = await Promise.all([paused(), send('Debugger.resume')]);

  expect(positionInSource(code, location)).toEqual({
    source: pathToFileURL(join(root, source)).href,
    line: lineOf(readFileSync(join(root, source), 'utf8')),
  });
  const { result } = await send('Debugger.evaluateOnCallFrame', {
    callFrameId,
    expression: 'owner + path.id',
  });
  expect(result).toMatchObject({ value: 'alice5' });
  // Longer than the template allows, by the function's own clock.
  await send('Debugger.evaluateOnCallFrame', {
    callFrameId,
    expression: 'const now = Date.now; Date.now = () => now() + 20_000',
  });
  await send('Debugger.resume');
  expect((await answer).status).toBe(404);

  // Once it has started a debugger, SAM CLI ignores SIGTERM.
  await sam.stop();
  expect(leftBehind(sam.program)).toEqual([]);
});

interface CallFrame {
  callFrameId: string;
  location: { lineNumber: number; columnNumber: number };
}

/** Returns the source and the line of a place in a bundle, by its source map. */
function positionInSource(code: string, { lineNumber, columnNumber }: CallFrame['location']) {
  const [, map = ''] = /sourceMappingURL=data:application\/json;base64,(\S+)/.exec(code) ?? [];
  const payload = JSON.parse(Buffer.from(map, 'base64').toString());
  const found = new SourceMap(payload).findEntry(lineNumber, columnNumber);
  const { originalSource, originalLine } = found as SourceMapping;
  return { source: new URL(originalSource, payload.sourceRoot).href, line: originalLine };
}
