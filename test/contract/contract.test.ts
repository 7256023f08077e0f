import './creates-and-deletes.suite.ts';
import './lists.suite.ts';
import './queries.suite.ts';
import './refusals.suite.ts';
import './api-gateway.suite.ts';
import './only-aws.suite.ts';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { type Operation, operations } from '../../functions/shared/operations.ts';
import { finallyDo } from '../support/cleanup.ts';
import { findOperation } from '../support/openapi/description.ts';
import { list, removeAll, responsesSeen } from './api-client.ts';
import { isNamed, tested } from './tested-store.ts';

const lists = async () => [(await list()).body, (await list('', tested.otherToken)).body];

beforeAll(async () => {
  if (`${await lists()}` !== '[],[]') {
    throw new Error('The owners of the tokens have plants. Use tokens of owners without plants.');
  }
  finallyDo(async () => expect(await lists()).toEqual(['[]', '[]']));
});
afterEach(removeAll);

// A test of a deployment may leave others out. Scopes are in test/access-tokens, with the policies.
if (!isNamed) {
  test('the tests get each response of each operation, except 403, 429, 500 and 503', () => {
    const described = (Object.keys(operations) as Operation[]).flatMap((name) =>
      Object.keys(findOperation(name).responses).map((status) => `${name} ${status}`),
    );
    const provoked = described.filter((response) => !/ (403|429|500|503)$/.test(response));
    expect(provoked.filter((response) => !responsesSeen.has(response))).toEqual([]);
  });
}
