import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, jest, test } from '@jest/globals';
import { tokenAuthorizer } from '../../lib/emulator/gateway/token-authorizer.ts';
import { newTrace } from '../../lib/emulator/trace.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

test('an authorizer forgets an answer once its time is over', async () => {
  const answers: WeakRef<object>[] = [];
  const invoke = async () => {
    const result = { principalId: 'p', context: {}, statements: [] };
    answers.push(new WeakRef(result));
    return { result };
  };
  const ask = tokenAuthorizer(
    {
      IdentitySource: 'method.request.header.Authorization',
      AuthorizerResultTtlInSeconds: 60,
    } as never,
    { invoke } as never,
  );
  const now = Date.now();
  const clock = jest.spyOn(Date, 'now');
  const kept = async (seconds: number, token: string) => {
    clock.mockReturnValue(now + seconds * 1000);
    await ask(() => token, 'arn', newTrace());
    // A WeakRef keeps its object for as long as the current job runs.
    await new Promise(setImmediate);
    collectGarbage();
    return answers.filter((answer) => answer.deref()).length;
  };
  try {
    expect(await kept(0, 'a')).toBe(1);
    expect(await kept(59, 'b')).toBe(2);
    expect(await kept(60, 'c')).toBe(2);
    expect(await kept(200, 'd')).toBe(1);
  } finally {
    clock.mockRestore();
  }
});
