import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { bundle } from '../../../lib/bundle.ts';
import { localDocumentClient } from '../../../lib/database/database-client.ts';
import { freePort } from '../../support/http/free-port.ts';
import { root } from '../../support/project.ts';
import { attach } from './inspector.ts';
import { issue, leftBehind, type SamLocal, startSamLocal } from './sam-local.ts';

const source = 'functions/plants/delete.ts';
const statement = 'remove(owner, path.id';
const lineOf = (text: string) => text.split('\n').findIndex((line) => line.includes(statement));

const bundles = mkdtempSync(join(tmpdir(), 'plant-store-'));
let sam: SamLocal;
let port: number;

beforeAll(async () => {
  port = await freePort();
  sam = await startSamLocal(['--debug-port', `${port}`, '--debug-function', 'DeletePlant']);
});
afterAll(async () => {
  rmSync(bundles, { recursive: true });
  await sam?.stop();
});

test('a debugger stops in TypeScript and takes longer than the function may', async () => {
  const database = localDocumentClient(sam.ready.dynamodbEndpoint);
  const headers = { Authorization: `Bearer ${await issue(database, 'alice')}` };
  database.destroy();
  const answer = fetch(`${sam.ready.baseUrl}/plants/5`, { method: 'DELETE', headers });
  await sam.program.line(/Debugger listening on/);

  const { send, paused } = await attach(port);
  bundle(bundles, 'inline');
  const code = readFileSync(join(bundles, 'delete-plant', 'index.js'), 'utf8');
  await send('Debugger.enable');
  await send('Debugger.setBreakpointByUrl', {
    urlRegex: '/var/task/index\\.js$',
    lineNumber: lineOf(code),
  });
  const onStart = paused();
  await send('Runtime.runIfWaitingForDebugger');
  await onStart;
  // The function calls itself with an example while it starts, and stops there first.
  const onExample = paused();
  await send('Debugger.resume');
  await onExample;
  const onBreakpoint = paused();
  await send('Debugger.resume');
  const { callFrameId, location } = await onBreakpoint;

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
});

// Once it has started a debugger, SAM CLI ignores SIGTERM.
test('ended after a debugger was attached, it leaves nothing behind', async () => {
  await sam.stop();
  expect(leftBehind(sam.program)).toEqual([]);
});

function positionInSource(
  code: string,
  { lineNumber, columnNumber }: { lineNumber: number; columnNumber: number },
) {
  const [, map = ''] = /sourceMappingURL=data:application\/json;base64,(\S+)/.exec(code) ?? [];
  const payload = JSON.parse(Buffer.from(map, 'base64').toString());
  const { originalSource, originalLine } = new SourceMap(payload).findEntry(
    lineNumber,
    columnNumber,
  ) as {
    originalSource: string;
    originalLine: number;
  };
  return { source: new URL(originalSource, payload.sourceRoot).href, line: originalLine };
}
