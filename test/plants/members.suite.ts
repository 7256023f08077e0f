import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { plantsProgram } from '../../bin/plants.ts';
import document from '../../docs/openapi.json' with { type: 'json' };
import { largestPage } from '../../functions/plants/page.ts';
import { newPlant } from '../../functions/plants/plant.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { runHere } from '../support/programs/run.ts';
import { call, endpoint } from '../support/service/functions.ts';

/** Every member of a plant, with the JSON of two values. */
const members = [
  { name: 'id', value: '7', other: '8' },
  { name: 'name', value: '"Aloe"', other: '"Ficus"' },
  { name: 'tag', value: '"sun"', other: '"sill"' },
];
const names = members.map(({ name }) => name);
const inResponses = members.slice(1);

type Member = Pick<(typeof members)[number], 'name' | 'value'>;
const formatJson = (some: Member[]) =>
  `{${some.map(({ name, value }) => `"${name}":${value}`).join(',')}}`;
const plant = formatJson(members);
const response = formatJson(inResponses);

const create = (owner: string, body: string) =>
  call({ operation: 'createPlant', owner, body: Buffer.from(body) });
const list = async (owner: string) => (await call({ operation: 'listPlants', owner })).body;

test('this suite knows every member of a plant', () => {
  expect(Object.keys(newPlant.entries)).toEqual(names);
});

test('a create, its repetition and a list return every member but the id', async () => {
  expect(await create('ann', plant)).toMatchObject({ status: 201, body: response });
  expect(await create('ann', plant)).toMatchObject({ status: 200, body: response });
  expect(await list('ann')).toBe(`[${response}]`);
});

interface Bounds {
  type: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}
const schemas: [string, Bounds][] = Object.entries(document.components.schemas.NewPlant.properties);
/** Members with the ends of their ranges, and with 0. */
const edges = schemas.flatMap(([name, { type, minimum = 0, maximum = 0, ...lengths }]) => {
  const { minLength = 0, maxLength = 0 } = lengths;
  const texts = ['x'.repeat(minLength), 'x'.repeat(maxLength)];
  const values = type === 'string' ? texts : [minimum, 0, maximum];
  return [...new Set<number | string>(values)].map((value) => ({
    name,
    value: JSON.stringify(value),
  }));
});

test.each(edges)('a create, its repetition and a list return an extreme $name', async (edge) => {
  const owner = `edge-${edges.indexOf(edge)}`;
  const replaceMember = (one: Member) => (one.name === edge.name ? edge : one);
  const body = formatJson(inResponses.map(replaceMember));
  const request = formatJson(members.map(replaceMember));
  expect(await create(owner, request)).toMatchObject({ status: 201, body });
  expect(await create(owner, request)).toMatchObject({ status: 200, body });
  expect(await list(owner)).toBe(`[${body}]`);
});

test.each(inResponses)('a create with another $name returns 409', async ({ name, other }) => {
  await create('bob', plant);
  const changed = members.map((one) => (one.name === name ? { name, value: other } : one));
  expect((await create('bob', formatJson(changed))).status).toBe(409);
  expect(await list('bob')).toBe(`[${response}]`);
});

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);
const isName = (codes: number[]) => v.is(newPlant.entries.name, String.fromCodePoint(...codes));

test('a name has no control characters, no U+FFFD and no lone surrogates', () => {
  const rejected: number[] = [];
  // Of 128 in a row, no high surrogate comes before a low one.
  const offsets = range(0, 127);
  for (let first = 0; first <= 0x10ffff; first += offsets.length) {
    const codes = offsets.map((offset) => first + offset);
    if (!isName(codes)) {
      rejected.push(...codes.filter((code) => !isName([code])));
    }
  }
  const controls = [...range(0, 0x1f), ...range(0x7f, 0x9f)];
  expect(rejected).toEqual([...controls, ...range(0xd800, 0xdfff), 0xfffd]);
});

test('an export has every member, and an import stores every member', async () => {
  await create('dave', plant);
  const folder = temporaryFolder();
  const plants = (line: string) =>
    runHere(plantsProgram, `${line} --dynamodb-endpoint ${endpoint}`, {
      env: { INIT_CWD: folder },
    });
  expect(await plants('export - --owner dave')).toMatchObject({ code: 0, stdout: `${plant}\n` });
  writeFileSync(join(folder, 'dave.jsonl'), `${plant}\n`);
  expect(await plants('import dave.jsonl --owner erin')).toMatchObject({ code: 0 });
  expect(await list('erin')).toBe(`[${response}]`);
});

test('a full page of the largest plants fits into the 6 MB that a function may return', () => {
  const { properties } = document.components.schemas.Plant;
  const largest = Object.entries<{ maxLength?: number }>(properties).map(
    ([name, { maxLength }]) => {
      if (maxLength === undefined) {
        throw new Error(`Say here how long the JSON of ${name} can be.`);
      }
      // In the JSON of a result, four bytes, as many as a quotation mark.
      return [name, '🌵'.repeat(maxLength)];
    },
  );
  const page = Array(largestPage).fill(Object.fromEntries(largest));
  const result = JSON.stringify({ statusCode: 200, headers: {}, body: JSON.stringify(page) });
  // The headers have less than 1,000 bytes.
  expect(Buffer.byteLength(result)).toBeLessThan(6_291_556 - 1000);
});
