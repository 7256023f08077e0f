import { afterAll, afterEach, expect, jest } from '@jest/globals';
import { list, removeAll, target } from './api.ts';
import './refusals.ts';
import './plants.ts';
import './lists.ts';
import './gateway.ts';
import './findings.ts';
import { findings } from './found.ts';

jest.setTimeout(60_000);

const lists = async () => [(await list()).body, (await list('', target.otherToken)).body];
if (`${await lists()}` !== '[],[]')
  throw new Error(
    'The owners of the tokens have plants already: give tokens of two owners without any.',
  );

afterEach(removeAll);

afterAll(async () => {
  const left = await lists();
  await target.stop();
  if (process.env.CONTRACT_BASE_URL)
    process.stdout.write(`${findings.map((line) => `Found: ${line}`).join('\n')}\n`);
  expect(left).toEqual(['[]', '[]']);
});
