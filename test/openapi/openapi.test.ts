import { expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import * as v from 'valibot';
import { openApiText } from '../../bin/openapi/document.ts';
import { parameterSchema, requestSchema } from '../../bin/openapi/schema.ts';
import { newPlant } from '../../functions/plants/plant.ts';
import {
  type Answer,
  type Description,
  differencesFrom,
  openApi,
} from '../contract/description.ts';
import { readPage } from '../docs/page.ts';
import { ofType, templateWith } from '../stack/templates.ts';

const committed = readPage('docs/openapi.json');

const operationsOfDocument = Object.entries(openApi.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { responses }]) => ({
    name: `${method.toUpperCase()} ${path}`,
    responses,
  })),
);

test('docs/openapi.json is what bin/openapi.ts writes', () => {
  expect(committed).toBe(openApiText());
});

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(committed))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  const paths = { '/plants': { get: { responses: 7 } } };
  const broken = { ...JSON.parse(committed), paths };
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
});

test('the operations of the document are the methods of the template', async () => {
  const template = await templateWith({});
  const resources = ofType(template, 'AWS::ApiGateway::Resource');
  const pathOf = ({ Ref }: { Ref?: string }): string => {
    const found = Ref && resources[Ref]?.Properties;
    return found ? `${pathOf(found.ParentId)}/${found.PathPart}` : '';
  };
  const methods = Object.values(ofType(template, 'AWS::ApiGateway::Method')).map(
    ({ Properties }) => `${Properties.HttpMethod} ${pathOf(Properties.ResourceId)}`,
  );
  expect(operationsOfDocument.map(({ name }) => name).sort()).toEqual(methods.sort());
});

const described: [string, Description][] = [
  ...operationsOfDocument.flatMap(({ name, responses }) =>
    Object.entries(responses).map(([status, response]): [string, Description] => [
      `${name} ${status}`,
      response,
    ]),
  ),
  ['an unknown operation', openApi.components.responses['no-such-operation'] as Description],
];

test.each(described)(
  'the example of %s matches its description, and fails it without a header or with another body',
  (_, response) => {
    const headers = Object.entries(response.headers).map(
      ([name, { schema, example = schema.const }]) => [name.toLowerCase(), String(example)],
    );
    const [[mediaType, { example, examples }] = [undefined, {}]] = Object.entries(
      response.content ?? {},
    );
    const bodies = examples ? Object.values(examples).map(({ value }) => value) : [example];
    for (const body of bodies) {
      const answer: Answer = {
        status: 0,
        headers: Object.fromEntries(
          mediaType ? [...headers, ['content-type', mediaType]] : headers,
        ),
        body: mediaType ? JSON.stringify(body) : '',
      };
      expect(differencesFrom(response, answer)).toEqual([]);
      for (const [name, { required }] of Object.entries(response.headers)) {
        const less = { ...answer, headers: { ...answer.headers, [name.toLowerCase()]: undefined } };
        expect(differencesFrom(response, less)).toEqual(
          required ? [`the header ${name} is missing`] : [],
        );
      }
      expect(differencesFrom(response, { ...answer, body: '{"name":"Aloe"}' })).toHaveLength(1);
    }
  },
);

function* patternsIn(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, value] of Object.entries(node)) {
    if (name === 'pattern' && typeof value === 'string') yield value;
    yield* patternsIn(value);
  }
}

test('patterns have no escapes that other languages lack, and no control characters', () => {
  const patterns = [...patternsIn(JSON.parse(committed))];
  expect(patterns).not.toEqual([]);
  expect(patterns.filter((pattern) => /\\(?![?.]|u[\dA-F]{4})|\p{Cc}/u.test(pattern))).toEqual([]);
});

test('requests have no further members, and answers may have some', () => {
  const { paths, components } = JSON.parse(committed);
  const bodies = /"requestBody":.*?"#\/components\/schemas\/(\w+)"/g;
  const requests = [...JSON.stringify(paths).matchAll(bodies)].map(([, name]) => name);
  expect(requests).not.toEqual([]);
  for (const [name, schema] of Object.entries<{ additionalProperties?: false }>(components.schemas))
    expect([name, schema.additionalProperties]).toEqual([
      name,
      requests.includes(name) ? false : undefined,
    ]);
});

const members = Object.entries<{ pattern?: string }>(
  JSON.parse(committed).components.schemas.NewPlant.properties,
);
const texts = members.flatMap(([member, { pattern }]): [string, string][] =>
  pattern ? [[member, pattern]] : [],
);

test.each(texts)('the pattern of %s matches what a create accepts', (member, pattern) => {
  const published = new RegExp(pattern, 'u');
  const disagreeing = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const text = String.fromCodePoint(code);
    // A lone surrogate cannot be written in the patterns of most languages.
    if (!text.isWellFormed()) continue;
    const plant = { id: 1n, name: 'a', [member]: text };
    if (published.test(text) !== v.safeParse(newPlant, plant).success) disagreeing.push(code);
  }
  expect(disagreeing).toEqual([]);
});

test('a create needs an id and a name only, and no member has a default', () => {
  const { NewPlant } = JSON.parse(committed).components.schemas;
  expect(NewPlant.required).toEqual(['id', 'name']);
  for (const [, member] of members) expect(member).not.toHaveProperty('default');
});

test('what JSON Schema cannot say is an error that names the field and the file', () => {
  const odd = v.pipe(
    v.string(),
    v.check(() => true),
  );
  const message = (name: string) =>
    `the ${name} cannot be said in JSON Schema. Add a rule to bin/openapi/schema.ts.`;
  expect(() => requestSchema(v.object({ good: v.string(), odd }))).toThrow(message('field odd'));
  expect(() => parameterSchema(odd, 'odd')).toThrow(message('parameter odd'));
});
