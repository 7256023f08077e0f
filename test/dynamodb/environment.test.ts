import { afterEach, expect, test } from '@jest/globals';
import { requiredVariable } from '../../functions/dynamodb/environment.ts';

afterEach(() => {
  delete process.env.TABLE;
});

test('a function gets a variable of its environment', () => {
  process.env.TABLE = 'Plants';
  expect(requiredVariable('TABLE')).toBe('Plants');
});

test('a variable that is missing or empty is an error that names it', () => {
  const message = 'The environment variable TABLE is not set.';
  expect(() => requiredVariable('TABLE')).toThrow(message);
  process.env.TABLE = '';
  expect(() => requiredVariable('TABLE')).toThrow(message);
});
