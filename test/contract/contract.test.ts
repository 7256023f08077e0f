import { afterAll, afterEach, expect } from '@jest/globals';
import { list, removeAll, target } from './api.ts';
import './refusals.ts';
import './plants.ts';
import './lists.ts';
import './gateway.ts';
import { settled } from './only-aws.ts';

const leftOut = [
  'calls that the gateway refuses (401, 403, 404, 413), because SAM CLI has its own answers',
  'bodies that are not UTF-8, because SAM CLI fails (502) before it calls a function',
  'two Content-Types, because SAM CLI passes only one header of a name on',
  'a list of more than 1000 plants, because SAM CLI would take long for it',
];

const lists = async () => [(await list()).body, (await list('', target.otherToken)).body];
if (`${await lists()}` !== '[],[]')
  throw new Error(
    'The owners of the tokens have plants already: give tokens of two owners without any.',
  );

afterEach(removeAll);

afterAll(async () => {
  const left = await lists();
  await target?.stop();
  const lines = target.isSam ? leftOut.map((line) => `Left out: ${line}`) : settled;
  if (process.env.CONTRACT_BASE_URL) process.stdout.write(`${lines.join('\n')}\n`);
  expect(left).toEqual(['[]', '[]']);
});
