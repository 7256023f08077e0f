import { expect, test } from '@jest/globals';
import { eventually } from './eventually.ts';

const never = new Promise<never>(() => {});

test.each<[string, Promise<unknown> | (() => unknown)]>([
  ['a promise', never],
  ['a condition', () => false],
  ['a condition that hangs', () => never],
])('a wait for %s ends in time and says what did not come', async (_, source) => {
  const wait = eventually('three plants', source, { seconds: 0.05, instead: () => 'two plants' });
  await expect(wait).rejects.toThrow('Within 0.05 s there was not: three plants\ntwo plants');
});

test('a wait returns what comes, and throws what fails', async () => {
  const looks = [0, '', 'there'];
  expect(await eventually('the third look', () => looks.shift())).toBe('there');
  expect(await eventually('a value', Promise.resolve(0))).toBe(0);
  await expect(eventually('a value', Promise.reject(new Error('broken')))).rejects.toThrow(
    'broken',
  );
});
