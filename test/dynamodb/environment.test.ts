import { afterEach, expect, test } from '@jest/globals';
import { required } from '../../functions/dynamodb/environment.ts';

afterEach(() => {
  delete process.env.TABLE;
});

test('a function gets a variable of its environment', () => {
  process.env.TABLE = 'Plants';
  expect(required('TABLE')).toBe('Plants');
});

test('a variable that is missing or empty is an error that names it', () => {
  const message = 'The environment variable TABLE is not set.';
  expect(() => required('TABLE')).toThrow(message);
  process.env.TABLE = '';
  expect(() => required('TABLE')).toThrow(message);
});
