import { expect, test } from '@jest/globals';
import openApi from '../../docs/openapi.json' with { type: 'json' };
import { pinnedOperations } from '../support/pinned-operations.ts';
import { accessOf, ofType, propertiesOf, resource, settings, templateWith } from './templates.ts';

const template = await templateWith(settings.default);

/** Returns the function that the gateway calls for a method on a path. */
function functionAt(method: string, path: string): string {
  const pathOf = (id: string): string => {
    const { PathPart, ParentId } = resource(template, id).Properties;
    return `${ParentId.Ref ? pathOf(ParentId.Ref) : ''}/${PathPart}`;
  };
  const found = propertiesOf(template, 'AWS::ApiGateway::Method').find(
    ({ HttpMethod, ResourceId }) =>
      HttpMethod === method && ResourceId.Ref && pathOf(ResourceId.Ref) === path,
  );
  const names = Object.keys(ofType(template, 'AWS::Lambda::Function'));
  const uri = JSON.stringify(found?.Integration.Uri);
  return names.find((name) => uri?.includes(`"${name}"`)) ?? 'no function';
}

interface Operation {
  security: { accessToken: string[] }[];
  responses: object;
}

test('each operation has its method, path, scope, table, actions and statuses', () => {
  const paths: Record<string, Record<string, Operation>> = openApi.paths;
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([lowerCase, { security, responses }]) => {
      const method = lowerCase.toUpperCase();
      const name = functionAt(method, path);
      return {
        function: name,
        call: `${method} ${path}`,
        scope: security.flatMap(({ accessToken }) => accessToken).join(' '),
        access: accessOf(template, name),
        successes: Object.keys(responses)
          .map(Number)
          .filter((status) => status < 300),
      };
    }),
  );
  expect(described).toEqual(pinnedOperations);
});
