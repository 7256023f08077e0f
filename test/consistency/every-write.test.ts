import { expect, test } from '@jest/globals';
import { isRead } from '../../functions/shared/dynamodb.ts';
import { type Operation, operationNames, operations } from '../../functions/shared/operations.ts';
import { finallyDo } from '../support/cleanup.ts';
import { type Fault, fail, loseAnswer, pass, startFaultProxy } from '../support/database/proxy.ts';
import { eventOf } from '../support/service/lambda-events.ts';
import { startService } from '../support/service/service.ts';

// What becomes of each command of each operation that writes, whatever it is called. faults.test.ts
// says more about creates and deletes.

const proxy = await startFaultProxy();
const service = await startService({ between: proxy.before });
finallyDo(() => service.stop());

const denied = fail(400, 'AccessDeniedException');

const isWriting = (name: Operation) =>
  Object.values<readonly string[]>(operations[name].tables)
    .flat()
    .some((action) => !isRead(action));
const writing = operationNames.filter(isWriting);
const creating = operationNames.filter((name) => operations[name].method === 'POST');

async function send(name: Operation, token: string) {
  const { httpMethod: method, path, body } = eventOf(name);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const response = await fetch(service.baseUrl + path, { method, headers, body });
  return { status: response.status, body: await response.text() };
}

let owners = 0;
/** Returns a new owner who has what the operation needs. */
async function openOwner(name: Operation) {
  owners += 1;
  const owner = `owner-${owners}`;
  const token = await service.issue(owner);
  proxy.play(owner);
  for (const creation of creating) {
    if (creation !== name) {
      await send(creation, token);
    }
  }
  return { owner, token, commands: () => proxy.seen(owner).length };
}

/** Calls an operation whose commands meet faults, the last of which stays. */
async function play(name: Operation, faults: Fault[]) {
  const { owner, token } = await openOwner(name);
  proxy.play(owner, ...faults);
  return send(name, token);
}

/** Returns how many commands the operation sends if nothing fails. */
async function countOf(name: Operation): Promise<number> {
  const { token, commands } = await openOwner(name);
  const before = commands();
  const { status } = await send(name, token);
  expect(Object.keys(operations[name].successes)).toContain(`${status}`);
  return commands() - before;
}

const passing = (count: number): Fault[] => Array(count).fill(pass);

test.each(writing)('%s answers a lost answer with its outcome, or with 503', async (name) => {
  const count = await countOf(name);
  expect(count).toBeGreaterThan(0);
  for (let i = 0; i < count; i += 1) {
    const { status } = await play(name, [...passing(i), loseAnswer, pass]);
    expect([...Object.keys(operations[name].successes), '503']).toContain(`${status}`);
    // Nothing tells the outcome, because no read is answered.
    const unclear = await play(name, [...passing(i), loseAnswer, denied]);
    expect([500, 503, ...Object.keys(operations[name].successes).map(Number)]).toContain(
      unclear.status,
    );
  }
});

test.each(operationNames)('%s answers 500 if a permission is missing', async (name) => {
  const count = await countOf(name);
  for (let i = 0; i < count; i += 1) {
    const { status, body } = await play(name, [...passing(i), denied]);
    expect([name, i, status]).toEqual([name, i, 500]);
    expect(body).not.toContain('secret');
  }
});
