import { expect, test } from '@jest/globals';
import differences from '../slow/sam/differences.json' with { type: 'json' };
import { readPage } from './page.ts';

test('the page on sam local begins its list with the differences that its test expects', () => {
  const [, section = ''] = readPage('docs/sam-local.md').split(
    '\n## What SAM CLI does not imitate\n',
  );
  const [, ...items] = section.split('\n* ').map((item) => item.trim().replaceAll(/\s+/g, ' '));
  const expected = differences.map(({ difference }) => difference);
  expect(items.slice(0, expected.length)).toEqual(expected);
});
