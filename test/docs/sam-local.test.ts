import { expect, test } from '@jest/globals';
import differences from '../slow/sam/differences.json' with { type: 'json' };
import { tableOf } from './page.ts';

test('the page on sam local begins with the differences that its test expects', () => {
  const rows = tableOf('docs/sam-local.md', 'what is different in `sam local`');
  const expected = differences.map(({ difference }) => [difference]);
  expect(rows.slice(0, expected.length)).toEqual(expected);
});
