import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@jest/globals';
import { largestPage } from '../../functions/items/paging.ts';
import { fields, newPlant, plantKind } from '../../functions/plants/plant.ts';
import { maxBodyBytes } from '../../functions/shared/operations.ts';
import { pinOf } from '../support/pin.ts';
import { asRead } from '../support/plant.ts';
import { largestContent } from './largest-content.ts';
import { pinned } from './pinned.ts';

test('each field of a plant is as test/plants/pinned.ts has it', () => {
  expect(Object.fromEntries(Object.entries(newPlant).map(([n, f]) => [n, pinOf(f)]))).toEqual(
    pinned.fields,
  );
});

test('the plant of test/plants/pinned.ts gives every field, and none has its default', () => {
  expect(Object.keys(JSON.parse(pinned.body))).toEqual(Object.keys(pinned.fields));
  const answer: Record<string, unknown> = pinned.answer;
  const usual = plantKind.fieldNames.filter((name) =>
    isDeepStrictEqual(answer[name], fields[name].fallback),
  );
  expect(usual).toEqual([]);
});

test.each(pinned.stored)('$item of test/plants/pinned.ts is read as there', ({ item, answer }) => {
  expect(plantKind.answerOf(plantKind.parse(asRead(item)))).toEqual(answer);
});

test('what a create stores is the last row of test/plants/pinned.ts', () => {
  const { id, ...others } = plantKind.toStored({ id: 7n, ...pinned.answer });
  expect(pinned.stored.at(-1)?.item).toEqual({ id: Number(id), ...others });
});

test('the largest plant fits in a body even if every character of its texts is escaped', () => {
  const escaped = JSON.stringify({ id: `${-(2n ** 63n)}`, ...largestContent }).replaceAll(
    /[^ -~]/g,
    '\\u0000',
  );
  expect(escaped.length).toBeLessThanOrEqual(maxBodyBytes);
});

test('a page of the largest plants is within the 6 MB that Lambda takes as an answer', () => {
  const page = JSON.stringify(Array(largestPage).fill(largestContent));
  expect(Buffer.byteLength(page)).toBeLessThanOrEqual(6_000_000);
});
