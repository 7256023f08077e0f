import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, jest, test } from '@jest/globals';
import { tokenAuthorizer } from '../../lib/offline/gateway/token-authorizer.ts';
import { newTrace } from '../../lib/offline/trace.ts';
import { finallyDo } from '../support/cleanup.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

test('an authorizer forgets an answer once its time is over, whatever the date', async () => {
  const size = 2 ** 24;
  const answer = { principalId: 'p'.repeat(size), policyDocument: { Statement: [] } };
  const outcome = { payload: JSON.stringify(answer) };
  const invoke = async () => outcome;
  const IdentitySource = 'method.request.header.Authorization';
  const properties = { AuthorizerUri: '', IdentitySource, AuthorizerResultTtlInSeconds: 60 };
  const ask = tokenAuthorizer(properties, { invoke } as never);
  const heap = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  const now = performance.now();
  const clock = jest.spyOn(performance, 'now');
  finallyDo(() => clock.mockRestore());
  const today = Date.now();
  const date = jest.spyOn(Date, 'now');
  finallyDo(() => date.mockRestore());
  for (const [seconds, token, kept] of [
    [0, 'a', 1],
    [59, 'b', 2],
    [60, 'c', 2],
    [200, 'd', 1],
  ] as const) {
    clock.mockReturnValue(now + seconds * 1000);
    date.mockReturnValue(today - seconds * 60_000);
    await ask(() => token, 'arn', newTrace());
    await new Promise(setImmediate);
    expect(Math.round((heap() - before) / size)).toBe(kept);
  }
});
