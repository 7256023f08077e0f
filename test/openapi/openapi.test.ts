import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { openApiText } from '../../bin/openapi/document.ts';
import {
  type Answer,
  type Description,
  differencesFrom,
  openApi,
} from '../contract/description.ts';
import { ofType, templateWith } from '../stack/templates.ts';

const committed = readFileSync(
  join(import.meta.dirname, '..', '..', 'docs', 'openapi.json'),
  'utf8',
);

const operationsOfDocument = Object.entries(openApi.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { responses }]) => ({
    name: `${method.toUpperCase()} ${path}`,
    responses,
  })),
);

test('docs/openapi.json is what npm run openapi writes', () => {
  expect(committed).toBe(openApiText());
});

test('it is OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(committed))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  expect(
    await new Validator().validate({
      ...JSON.parse(committed),
      paths: { '/plants': { get: { responses: 7 } } },
    }),
  ).toMatchObject({
    valid: false,
  });
});

test('its operations are the methods of the template', () => {
  const template = templateWith({});
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
  'the example of %s is as described, and an answer that lacks a header, or has another body, is not',
  (_, response) => {
    const headers = Object.entries(response.headers).map(
      ([name, { schema, example = schema.const }]) => [name.toLowerCase(), String(example)],
    );
    const [[mediaType, { example }] = [undefined, { example: undefined }]] = Object.entries(
      response.content ?? {},
    );
    const answer: Answer = {
      status: 0,
      headers: Object.fromEntries(mediaType ? [...headers, ['content-type', mediaType]] : headers),
      body: mediaType ? JSON.stringify(example) : '',
    };
    expect(differencesFrom(response, answer)).toEqual([]);
    for (const [name, { required }] of Object.entries(response.headers)) {
      const less = { ...answer, headers: { ...answer.headers, [name.toLowerCase()]: undefined } };
      expect(differencesFrom(response, less)).toEqual(
        required ? [`the header ${name} is missing`] : [],
      );
    }
    expect(differencesFrom(response, { ...answer, body: '{"name":"Aloe"}' })).toHaveLength(1);
  },
);
