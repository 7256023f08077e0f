import { expect, test } from '@jest/globals';
import { descriptions } from '../../../bin/openapi/descriptions.ts';
import type { InputSchema } from '../../../functions/http/input.ts';
import type { Field, Fields } from '../../../functions/items/fields.ts';
import {
  type Operation,
  operationNames,
  operations,
} from '../../../functions/shared/operations.ts';
import { responsesOf } from '../../support/openapi/description.ts';
import { judgeBody, judgePath, judgeQuery } from '../../support/openapi/second-opinion.ts';
import { ask as askOne, type Call, json, type Reply, target } from '../api-client.ts';
import { candidatesOf } from '../cases/wrong-values.ts';

// What holds for every operation, by its row and its input, so that a new one is tried as well.

const ask = (line: string, more: Partial<Call>) =>
  askOne(line, { ...more, isOfEveryOperation: true });
const inputOf = (name: Operation): InputSchema => descriptions[name].input;
const goodOf = ({ kind }: Field<unknown>): unknown[] => kind.samples().good;
const literalOf = (value: unknown) =>
  typeof value === 'bigint' ? `${value}` : JSON.stringify(value);

/** Returns a path with a good value of each parameter, or with the given one. */
function pathOf(name: Operation, given: Record<string, string> = {}): string {
  const fields = inputOf(name).path ?? {};
  const value = (parameter: string) => {
    const { kind } = fields[parameter] as Field<unknown>;
    return given[parameter] ?? kind.toParameter(kind.samples().good[0])[0];
  };
  const { path } = operations[name];
  return `/${path.replaceAll(/\{(\w+)\}/g, (_, parameter) => `${value(parameter)}`)}`;
}

function bodyOf(fields: Fields, given: Record<string, string>): string {
  const members = Object.entries(fields)
    .filter(([member, { isRequired }]) => isRequired || member in given)
    .map(([member, field]) => `"${member}":${given[member] ?? literalOf(goodOf(field)[0])}`);
  return `{${members}}`;
}

const send = (name: Operation, path: string, body: string | undefined) =>
  ask(`${operations[name].method} ${path}`, body === undefined ? {} : { headers: [json], body });

/** Sends a body with these members. Another plant may have its id. */
const sendBody = (name: Operation, given: Record<string, string>) =>
  send(name, pathOf(name), bodyOf(inputOf(name).body ?? {}, given));

let lastId = 1000;
const nextId = (fields: Fields) => {
  lastId += 1;
  return 'id' in fields ? { id: `${lastId}` } : undefined;
};

/** Creates what an operation may need: the items that it changes, or those that it is under. */
async function createOthersThan(name: Operation): Promise<void> {
  for (const other of operationNames) {
    if (operations[other].method === 'POST' && operations[other].path !== operations[name].path) {
      await sendBody(other, {});
    }
  }
}

const withBody = operationNames.filter((name) => inputOf(name).body);
const asJson = [{ value: 'application/json', isJson: true }];

test.each(withBody)(
  '%s accepts what it requires, and every good value of a member',
  async (name) => {
    await createOthersThan(name);
    const fields = inputOf(name).body ?? {};
    expect([400, 413, 415]).not.toContain((await sendBody(name, { ...nextId(fields) })).status);
    for (const [member, field] of Object.entries(fields)) {
      for (const value of goodOf(field)) {
        const given = { ...nextId(fields), [member]: literalOf(value) };
        expect([400, 413, 415]).not.toContain((await sendBody(name, given)).status);
      }
    }
  },
);

test.each(withBody)('%s refuses every wrong value of every member', async (name) => {
  const fields = inputOf(name).body ?? {};
  for (const [member, field] of Object.entries(fields)) {
    const wrong = candidatesOf(field).filter((literal) => {
      const body = Buffer.from(bodyOf(fields, { [member]: literal }));
      return 'places' in judgeBody(name, asJson, undefined, body);
    });
    expect(wrong).not.toEqual([]);
    for (const literal of target.isSam ? wrong.slice(0, 5) : wrong) {
      expect((await sendBody(name, { [member]: literal })).status).toBe(400);
    }
  }
});

/** Texts that are no value of most parameters. */
const oddTexts = ['', ' ', '-', '01', '1.0', 'null', 'x'.repeat(300), '\0', '"', 'A'.repeat(12)];

test.each(operationNames)('%s refuses every wrong value of every parameter', async (name) => {
  const { path = {}, query = {} } = inputOf(name);
  for (const parameter of Object.keys(query)) {
    const wrong = oddTexts.filter((text) => 'places' in judgeQuery(name, [[parameter, text]]));
    expect(wrong).not.toEqual([]);
    for (const text of wrong) {
      const url = `${pathOf(name)}?${new URLSearchParams({ [parameter]: text })}`;
      expect((await send(name, url, undefined)).status).toBe(400);
    }
  }
  for (const parameter of Object.keys(path)) {
    const isWrong = (text: string) => 'places' in judgePath(name, parameter, text);
    const wrong = oddTexts.map(encodeURIComponent).filter((text) => text && isWrong(text));
    expect(wrong).not.toEqual([]);
    const body = inputOf(name).body && bodyOf(inputOf(name).body ?? {}, {});
    for (const text of wrong) {
      expect((await send(name, pathOf(name, { [parameter]: text }), body)).status).toBe(400);
    }
  }
});

test.each(operationNames)('%s refuses an unknown parameter of a query', async (name) => {
  const body = inputOf(name).body && bodyOf(inputOf(name).body ?? {}, {});
  expect((await send(name, `${pathOf(name)}?unknown=1`, body)).status).toBe(400);
});

test.each(withBody)('%s refuses a body of another type, or one that is too large', async (name) => {
  const line = `${operations[name].method} ${pathOf(name)}`;
  expect((await ask(line, { body: '{}' })).status).toBe(415);
  expect((await ask(line, { headers: [json], body: ' '.repeat(16_385) })).status).toBe(413);
});

if (!target.isSam) {
  test.each(operationNames)('%s asks for its scope', async (name) => {
    const { scope } = operations[name];
    const line = `${operations[name].method} ${pathOf(name)}`;
    const { status } = await ask(line, { token: target.readToken });
    expect(status === 403).toBe(scope !== 'plants:read');
  });
}

const lists = operationNames.filter((name) => responsesOf(name)[200]?.headers.Link);

/** Returns every choice of good values for some parameters, each of which may be left out. */
function combinationsOf([first, ...others]: [string, Field<unknown>][]): URLSearchParams[] {
  if (!first) {
    return [new URLSearchParams()];
  }
  const [name, field] = first;
  const rest = combinationsOf(others);
  return rest.flatMap((query) => [
    query,
    ...goodOf(field)
      .slice(0, 3)
      .map((value) => {
        const more = new URLSearchParams(query);
        for (const text of field.kind.toParameter(value)) {
          more.append(name, text);
        }
        return more;
      }),
  ]);
}

/** Lists page by page, by the links from this one on. Returns all items as texts. */
async function follow(name: Operation, path: string, query: string): Promise<string[]> {
  const items: string[] = [];
  let next: string | undefined = query;
  // There are never more items than that.
  for (let page = 0; next !== undefined && page < 50; page += 1) {
    const reply: Reply = await send(name, `${path}?${next}`, undefined);
    expect([next, reply.status]).toEqual([next, 200]);
    items.push(...(reply.json as unknown[]).map((item) => JSON.stringify(item)));
    next = /^<[^?]*\?(.*)>; rel="next"$/.exec(reply.headers.link ?? '')?.[1];
  }
  return items;
}

/**
 * Creates items for a list, with good values in turn, so that the list differs from its reverse.
 * Returns how many the list has then at least.
 */
async function createItemsFor(name: Operation): Promise<number> {
  await createOthersThan(name);
  const creation = operationNames.find(
    (other) => operations[other].path === operations[name].path && inputOf(other).body,
  );
  if (!creation) {
    return 0;
  }
  const fields = inputOf(creation).body ?? {};
  for (let i = 0; i < 6; i += 1) {
    const values = Object.entries(fields).map(([member, field]) => {
      const good = goodOf(field);
      return [member, literalOf(good[Math.floor(i / 2) % good.length])];
    });
    await sendBody(creation, { ...Object.fromEntries(values), ...nextId(fields) });
  }
  // Some filters leave only items with defaults.
  await sendBody(creation, { ...nextId(fields) });
  // Items without an id have another key, whose values come more than once.
  return 'id' in fields ? 7 : 2;
}

test.each(lists)('%s answers with other items for some value of each parameter', async (name) => {
  await createItemsFor(name);
  const path = pathOf(name);
  const whole = await follow(name, path, '');
  const { limit, cursor, ...others } = inputOf(name).query ?? {};
  for (const parameter of Object.entries(others)) {
    const queries = combinationsOf([parameter]).map((query) => `${query}`);
    const answers = await Promise.all(queries.map((query) => follow(name, path, query)));
    const differs = answers.some((items) => items.length > 0 && `${items}` !== `${whole}`);
    expect(
      differs ? [] : `${parameter[0]} changes nothing, or leaves nothing: is it used?`,
    ).toEqual([]);
  }
});

test.each(lists)(
  'the links of %s lead to the whole list, with every choice of parameters',
  async (name) => {
    const least = await createItemsFor(name);
    const { limit, cursor, ...others } = inputOf(name).query ?? {};
    const path = pathOf(name);
    for (const query of combinationsOf(Object.entries(others))) {
      const whole = await follow(name, path, `${query}`);
      if (query.size === 0) {
        expect(whole.length).toBeGreaterThanOrEqual(least);
      }
      for (const size of [1, 3]) {
        query.set('limit', `${size}`);
        expect([`${query}`, await follow(name, path, `${query}`)]).toEqual([`${query}`, whole]);
      }
    }
  },
);

test.each(operationNames)('%s tells nothing about what another owner has', async (name) => {
  const fields = inputOf(name).body;
  async function callAsOther(id: object | undefined): Promise<[status: number, text: string]> {
    const body = fields && bodyOf(fields, { ...id });
    const { status, headers, ...reply } = await ask(`${operations[name].method} ${pathOf(name)}`, {
      token: target.otherToken,
      ...(body !== undefined && { headers: [json], body }),
    });
    return [status, reply.body.replaceAll(headers['x-request-id'] ?? '', '')];
  }
  // The first call deletes what other tests have left, or stores what a put replaces.
  await callAsOther(nextId({ ...fields }));
  const without = await callAsOther(nextId({ ...fields }));
  await createItemsFor(name);
  const lastOfOwner = fields && 'id' in fields ? { id: `${lastId}` } : undefined;
  expect(await callAsOther(lastOfOwner)).toEqual(without);
});
