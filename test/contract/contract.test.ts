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
import { isNamed, isSam, tested } from './tested-store.ts';

/** Tests that SAM CLI cannot pass. */
const leftOut = [
  'errors of the gateway itself (401, 403, 404, 413): SAM CLI has other responses',
  'bodies that are not UTF-8: SAM CLI fails (502) before it calls a function',
  'two Content-Types: SAM CLI passes on one header of a name',
  'an Authorization with white space around it: SAM CLI does not trim it',
  'an id that is encoded twice: SAM CLI decodes it',
  'most rows of the tables of refusals: SAM CLI parses nothing itself',
  'a list of more than 1,000 plants: SAM CLI would be too slow',
];

const lists = async () => [(await list()).body, (await list('', tested.otherToken)).body];

beforeAll(async () => {
  if (`${await lists()}` !== '[],[]') {
    throw new Error('The owners of the tokens have plants. Use tokens of owners without plants.');
  }
  finallyDo(async () => {
    if (isNamed && isSam) {
      process.stdout.write(leftOut.map((line) => `Left out: ${line}\n`).join(''));
    }
    expect(await lists()).toEqual(['[]', '[]']);
  });
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
