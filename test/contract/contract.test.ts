import './plants.suite.ts';
import './lists.suite.ts';
import './refusals.suite.ts';
import './gateway.suite.ts';
import './only-aws.suite.ts';
import { afterEach, beforeAll, expect } from '@jest/globals';
import { finallyDo } from '../support/cleanup.ts';
import { list, removeAll } from './api-client.ts';
import { isNamed, isSam, target } from './target.ts';

// The suites share one test file, because they share one service.

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

const lists = async () => [(await list()).body, (await list('', target.otherToken)).body];

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
