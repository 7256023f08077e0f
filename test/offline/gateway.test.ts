import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, parse, send } from '../support/http/http-client.ts';
import { answerCases } from './cases/answer-cases.ts';
import { requestCases } from './cases/request-cases.ts';
import { startFixture } from './fixture.ts';

let origin: string;
beforeAll(async () => {
  ({ origin } = await startFixture());
});

describe.each(Object.entries({ ...requestCases, ...answerCases }))('%s', (_, table) => {
  test.each(table)('$it ($from)', async ({ request, event, answer }) => {
    const received = await send(origin, request);
    if (event) {
      expect(withNulls(eventOf(received), event)).toMatchObject(event);
    }
    if (answer) {
      expect(
        withNulls({ ...received, body: parse(received.body) ?? received.body }, answer),
      ).toMatchObject(answer);
    }
  });
});

function eventOf({ status, body }: Answer): object {
  expect(status).toBe(200);
  return JSON.parse(body);
}

/** Returns the object with null for each missing member that is expected to be missing. */
function withNulls(object: object, expected: object): object {
  const more = Object.entries(expected).map(([name, inner]) => {
    const value = (object as Record<string, unknown>)[name];
    return [name, isObject(inner) && isObject(value) ? withNulls(value, inner) : (value ?? null)];
  });
  return { ...object, ...Object.fromEntries(more) };
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
