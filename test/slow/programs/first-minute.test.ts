import { expect, test } from '@jest/globals';
import { readPage } from '../../docs/page.ts';
import { file, firstMinute, textOf, withoutTimes } from '../../docs/pictures/first-minute.ts';

test('the picture in the README shows what npm start prints today', async () => {
  const remedy = 'node bin/node24.mjs test/docs/pictures/first-minute.ts';
  const shown = withoutTimes(textOf(readPage(file)));
  expect({ shown, remedy }).toEqual({ shown: withoutTimes(await firstMinute()), remedy });
});
