import { expect, test } from '@jest/globals';
import { file, firstMinute, textOf, withoutTimes } from '../../docs/first-minute/picture.ts';
import { readPage } from '../../docs/page.ts';

test('the picture in the README shows what npm start prints today', async () => {
  const remedy = 'node bin/node24.mjs test/docs/first-minute/picture.ts';
  const shown = withoutTimes(textOf(readPage(file)));
  expect({ shown, remedy }).toEqual({ shown: withoutTimes(await firstMinute()), remedy });
});
