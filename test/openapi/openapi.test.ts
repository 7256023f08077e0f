import { expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { descriptions } from '../../bin/openapi/descriptions.ts';
import { openApiText } from '../../bin/openapi/document.ts';
import type { Field } from '../../functions/items/fields.ts';
import { newPlant } from '../../functions/plants/plant.ts';
import { operationNames, operations } from '../../functions/shared/operations.ts';
import { readPage } from '../docs/page.ts';
import {
  type Answer,
  differencesFrom,
  openApi,
  responsesOf,
} from '../support/openapi/description.ts';
import { requiredContent } from '../support/plant.ts';

const committed = readPage('docs/openapi.json');
const document = JSON.parse(committed);

test('docs/openapi.json is what bin/openapi.ts writes', () => {
  expect(committed).toBe(openApiText());
});

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate(document)).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

const described = operationNames.flatMap((operation) => Object.entries(responsesOf(operation)));

test.each([...described, ...Object.entries(openApi.components.responses)])(
  'the example of %s matches its description, and fails it without headers or with another body',
  (_, { headers, content = {} }) => {
    const sent = Object.entries(headers).map(([name, { schema, example = schema.const }]) => [
      name.toLowerCase(),
      String(example),
    ]);
    const [[mediaType, { example, examples }] = [undefined, {}]] = Object.entries(content);
    for (const { value } of Object.values(examples ?? { only: { value: example } })) {
      const answer: Answer = {
        status: 0,
        headers: { ...Object.fromEntries(sent), 'content-type': mediaType },
        body: mediaType ? JSON.stringify(value) : '',
      };
      const differences = (more: Partial<Answer>) =>
        differencesFrom({ headers, content }, { ...answer, ...more });
      expect(differences({})).toEqual([]);
      expect(differences({ body: '{"x":1}' })).toHaveLength(1);
      const missing = Object.entries(headers).flatMap(([name, { required }]) =>
        required ? [`the header ${name} is missing`] : [],
      );
      expect(differences({ headers: { 'content-type': mediaType } })).toEqual(missing);
    }
  },
);

test('patterns have no escapes that other languages lack, and no control characters', () => {
  const patterns: string[] = [];
  JSON.parse(committed, (name, value) => {
    if (name === 'pattern' && typeof value === 'string') {
      patterns.push(value);
    }
    return value;
  });
  expect(patterns).not.toEqual([]);
  expect(patterns.filter((pattern) => /\\(?![?.]|u[\dA-F]{4})|\p{Cc}/u.test(pattern))).toEqual([]);
});

const { NewPlant } = document.components.schemas;
const members = Object.entries(NewPlant.properties);

test('a create needs what is required only, and no member has a default', () => {
  expect(NewPlant.required).toEqual(['id', ...Object.keys(requiredContent)]);
  for (const [, member] of members) {
    expect(member).not.toHaveProperty('default');
  }
});

/** What operations leave out on purpose, like a field that never changes: `editPlant: tag`. */
const leftOut: string[] = [];

test('what changes an item takes every field that its create takes', () => {
  const missing = operationNames.flatMap((name) => {
    const changed = descriptions[name].input.body;
    const items = operations[name].path.replace(/\/\{\w+\}$/, '');
    const create = operationNames.find(
      (other) => operations[other].method === 'POST' && operations[other].path === items,
    );
    const created = create && descriptions[create].input.body;
    if (!changed || !created) {
      return [];
    }
    return Object.keys(created)
      .filter((field) => field !== 'id' && !(field in changed))
      .map((field) => `${name}: ${field}`);
  });
  expect(missing).toEqual(leftOut);
});

test('requests have no further members, and answers may have some', () => {
  const { paths, components } = document;
  const bodies = /"requestBody":.*?"#\/components\/schemas\/(\w+)"/g;
  const requests = [...JSON.stringify(paths).matchAll(bodies)].map(([, name]) => name);
  expect(requests).not.toEqual([]);
  for (const [name, schema] of Object.entries<{ additionalProperties?: false }>(
    components.schemas,
  )) {
    expect([name, schema.additionalProperties]).toEqual([
      name,
      requests.includes(name) ? false : undefined,
    ]);
  }
});

const withPattern = Object.entries<Field<unknown>>(newPlant).flatMap(([name, { kind }]) => {
  // The document may be out of date, which another test says.
  const { pattern } = NewPlant.properties[name] ?? {};
  return pattern ? [{ name, kind, pattern }] : [];
});

test.each(withPattern)(
  'the pattern of $name matches what a create accepts',
  ({ kind, pattern }) => {
    const published = new RegExp(pattern, 'u');
    const disagreeing = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const text = String.fromCodePoint(code);
      // A lone surrogate cannot be written in the patterns of most languages.
      if (!text.isWellFormed()) {
        continue;
      }
      let isAccepted = true;
      kind.fromJson(text, () => {
        isAccepted = false;
        return undefined;
      });
      if (published.test(text) !== isAccepted) {
        disagreeing.push(code);
      }
    }
    expect(disagreeing).toEqual([]);
  },
);
