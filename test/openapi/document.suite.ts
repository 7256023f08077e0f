import { expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import * as v from 'valibot';
import { type Operation, operations } from '../../functions/shared/operations.ts';
import { makeJsonSchema } from '../../lib/openapi/json-schema.ts';
import { openApiText } from '../../lib/openapi/openapi.ts';
import { readPage } from '../docs/page.ts';
import type { HttpResponse } from '../support/http/http-client.ts';
import { differencesFrom, findOperation, openApi } from '../support/openapi/description.ts';
import { published } from '../support/service/published.ts';

const committed = readPage('docs/openapi.json');
const document = JSON.parse(committed);
const { NewPlant, Plant } = document.components.schemas;

test('docs/openapi.json is the output of "npm run openapi"', () => {
  expect(committed).toBe(openApiText);
});

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate(document)).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

const operationNames = Object.keys(operations) as Operation[];
const described = operationNames.flatMap((operation) =>
  Object.entries(findOperation(operation).responses),
);

test.each([...described, ...Object.entries(openApi.components.responses)])(
  'the example of %s matches its description, and another body does not',
  (_, { headers, content = {} }) => {
    const sent = Object.entries(headers).map(([name, { schema, example = schema.const }]) => [
      name.toLowerCase(),
      String(example),
    ]);
    const [[mediaType, { example, examples }] = [undefined, {}]] = Object.entries(content);
    for (const { value } of Object.values(examples ?? { only: { value: example } })) {
      const response: HttpResponse = {
        status: 0,
        headers: { ...Object.fromEntries(sent), 'content-type': mediaType },
        body: mediaType ? JSON.stringify(value) : '',
      };
      const description = { headers, content };
      expect(differencesFrom(description, response)).toEqual([]);
      expect(differencesFrom(description, { ...response, body: '{"x":1}' })).toHaveLength(1);
    }
  },
);

test('each operation has the statuses of its successes and of its problems', () => {
  for (const operation of operationNames) {
    const { successes, problems } = published[operation];
    const statuses = Object.keys(findOperation(operation).responses);
    expect([operation, ...statuses]).toEqual([
      operation,
      ...Object.keys(successes),
      ...problems.map(String),
    ]);
  }
});

test('a bound of a bigint is a number, and one that JSON rounds is refused', () => {
  const atMost = (most: bigint) => v.pipe(v.bigint(), v.minValue(-5n), v.maxValue(most));
  const largest = 2n ** 53n - 1n;
  expect(makeJsonSchema(atMost(largest))).toEqual({
    type: 'integer',
    minimum: -5,
    maximum: 9007199254740991,
  });
  expect(() => makeJsonSchema(atMost(largest + 1n))).toThrow(
    'JSON rounds the bound 9007199254740992. Describe its member as openapi.ts describes the id.',
  );
});

test('a create requires an id and a name, and has neither defaults nor other members', () => {
  expect(NewPlant.required).toEqual(['id', 'name']);
  expect(JSON.stringify(NewPlant)).not.toContain('default');
  expect(NewPlant.additionalProperties).toBe(false);
});

test('a response has both public fields of a plant, and later may have more', () => {
  expect(Plant.required).toEqual(['name', 'tag']);
  expect(Plant).not.toHaveProperty('additionalProperties');
});

test('every problem has the schema Problem, whose status is an integer', () => {
  const bodies = [
    ...committed.matchAll(/"application\/problem\+json": \{\s+"schema": (\{[^}]+\})/g),
  ];
  // Nine that operations share, and one 400 for each operation.
  expect(bodies.map(([, schema]) => JSON.parse(`${schema}`))).toEqual(
    Array(9 + operationNames.length).fill({ $ref: '#/components/schemas/Problem' }),
  );
  expect(document.components.schemas.Problem.properties.status.type).toBe('integer');
});

test('a client generated without a base URL calls nobody’s API', () => {
  const [{ url, variables }] = document.servers;
  expect(url).toBe('https://{api}.execute-api.{region}.amazonaws.com/v1');
  // The id of an API has ten lower-case letters and digits.
  expect(variables.api.default).toBe('YOUR-API-ID');
});

// PCRE (PHP) and RE2 (Go) do not compile `\u`, and JSON Schema calls no escape portable. Some
// generated clients check patterns, so that one for cursors would reject those of a later version.
test('the document has no patterns', () => {
  expect(committed).not.toContain('"pattern"');
});
