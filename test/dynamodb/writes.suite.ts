import * as sdk from '@aws-sdk/lib-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { UnknownOutcome } from '../../functions/dynamodb/errors.ts';
import { catchError, connections, database, get, put, respondBy, TableName } from './server.ts';

type Pause = [clockMs: number, uptimeMs: number];

/** Makes a call before, and a call after each pause. Returns how many connections those opened. */
async function countOpened(call: () => Promise<object>, pauses: Pause[]): Promise<number> {
  respondBy((_, response) => response.end('{}'));
  // Write at the times of the spies, because those of the test before may lie in the future.
  const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  const uptime = jest.spyOn(process, 'uptime').mockReturnValue(process.uptime());
  await call();
  const before = connections.length;
  for (const [clockMs, uptimeMs] of pauses) {
    now.mockReturnValue(Date.now() + clockMs);
    uptime.mockReturnValue(process.uptime() + uptimeMs / 1000);
    await call();
  }
  now.mockRestore();
  uptime.mockRestore();
  return connections.length - before;
}

test.each<{ what: string; pauses: Pause[]; opened: number }>([
  { what: 'it was idle for 4 s three times', pauses: Array(3).fill([4000, 4000]), opened: 0 },
  { what: 'it was idle for five seconds', pauses: [[5000, 5000]], opened: 1 },
  { what: 'the function was frozen', pauses: [[60_000, 0]], opened: 1 },
  { what: 'the clock was set back by less', pauses: [[4000, 6000]], opened: 1 },
  { what: 'only the clock was set back', pauses: [[-2000, 0]], opened: 1 },
])('if $what, a write opens $opened connections', async ({ pauses, opened }) => {
  expect(await countOpened(put, pauses)).toBe(opened);
});

test('a read uses a connection that was idle for a minute', async () => {
  expect(await countOpened(get, [[60_000, 60_000]])).toBe(0);
});

/** All other commands count as writes, later ones of the SDK included. */
const onlyRead = /^(Batch|Transact)?GetCommand|^(Query|Scan|DescribeExport)Command/;
/** The input of any command. */
const input = {
  TableName,
  Key: { id: 1n },
  Item: { id: 1n },
  RequestItems: {},
  Statement: '…',
  Statements: [],
  TransactItems: [],
  TransactStatements: [],
};
const commands = Object.entries(sdk)
  .filter(([name]) => /^(?!.*Client)\w+Command$/.test(name))
  .map(([name, Command]) => ({
    name,
    command: new (Command as typeof sdk.PutCommand)(input),
  }));
test.each(commands)(
  'a $name whose response is lost may have taken effect, unless it only reads',
  async (row) => {
    respondBy(() => connections.at(-1)?.resetAndDestroy());
    const error = await database.send(row.command).catch((thrown) => thrown);
    const isRead = onlyRead.test(row.name);
    expect(error instanceof UnknownOutcome).toBe(!isRead);
    // For the log.
    expect(isRead ? error : error.cause).toMatchObject({ code: 'ECONNRESET' });
  },
);

test.each(commands)('a $name is sent after one turn of the event loop', async ({ command }) => {
  respondBy((_, response) => response.end('{}'));
  const events: string[] = [];
  const record = (next: (args: never) => unknown) => (args: never) => {
    events.push('sent');
    return next(args);
  };
  database.middlewareStack.add(record as never, { step: 'deserialize', priority: 'low' });
  setImmediate(() => events.push('one turn'));
  await database.send(command).catch(() => {});
  expect(events.slice(0, 2)).toEqual(['one turn', 'sent']);
});

const fates = {
  'did nothing': [
    { code: 'ECONNREFUSED' },
    { code: 'EAI_AGAIN', syscall: 'getaddrinfo' },
    { code: 'ETIMEDOUT', syscall: 'connect' },
    { name: 'AbortError' },
    { $metadata: { httpStatusCode: 400 } },
    { $metadata: { httpStatusCode: 499 } },
  ],
  'may have worked, and is over': [
    { $metadata: { httpStatusCode: 500 } },
    { $metadata: { httpStatusCode: 301 } },
    { code: 'ECONNRESET', syscall: 'read' },
    { code: 'EPIPE', syscall: 'write' },
  ],
  'may still arrive': [
    { code: 'ETIMEDOUT', syscall: 'read' },
    { name: 'TimeoutError', $metadata: {} },
  ],
};
const ended = Object.entries(fates).flatMap(([fate, faults]) =>
  faults.map((fault) => ({ fate, fault })),
);
test.each(ended)('a write that ended with $fault $fate', async ({ fate, fault }) => {
  const thrown = await catchError(put, fault);
  if (thrown instanceof UnknownOutcome) {
    const unknown = thrown.mayStillArrive ? 'may still arrive' : 'may have worked, and is over';
    expect(unknown).toBe(fate);
    expect(thrown.cause).toMatchObject(fault);
  } else {
    expect(fate).toBe('did nothing');
    expect(thrown).toMatchObject(fault);
  }
});

test.each([
  { command: 'write', call: put },
  { command: 'read', call: get },
])('a $command whose host name cannot be resolved is sent three times', async ({ call }) => {
  const thrown = await catchError(call, { code: 'EAI_FAIL', syscall: 'getaddrinfo' });
  expect(thrown).toMatchObject({ code: 'EAI_FAIL', $metadata: { attempts: 3 } });
});

test('a read that fails pauses for up to 25 ms, then for up to 50 ms', async () => {
  const statuses = [500, 500, 200];
  respondBy((_, response) => response.writeHead(statuses.shift() ?? 0).end('{}'));
  const random = jest.spyOn(Math, 'random').mockReturnValue(0.999);
  const { $metadata } = await get();
  random.mockRestore();
  expect($metadata).toMatchObject({ attempts: 3, totalRetryDelay: 24 + 49 });
});
