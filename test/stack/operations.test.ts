import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../support/project.ts';
import { ofType, propertiesOf, resource, settings, templateWith } from './templates.ts';

/**
 * What each function may do and where it is called, written down a second time. It imports no row
 * of the operations' table, so that a wrong row there does not make it follow.
 */
const pinned = [
  'CreatePlant: POST /plants, plants:write, Plants GetItem PutItem, 200 201',
  'DeletePlant: DELETE /plants/{id}, plants:write, Plants DeleteItem GetItem, 204',
  'ListPlants: GET /plants, plants:read, Plants Query, 200',
];

const template = await templateWith(settings.default);
const { paths } = JSON.parse(readFileSync(join(root, 'docs', 'openapi.json'), 'utf8'));

/** Returns the table and the actions on it that a function's role allows. */
function accessOf(name: string): string {
  const role = resource(template, name).Properties.Role['Fn::GetAtt'][0];
  const granted = propertiesOf(template, 'AWS::IAM::Policy')
    .filter(({ Roles }) => Roles.some(({ Ref }: { Ref: string }) => Ref === role))
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
    .map(({ Action, Resource }) => ({ actions: [Action].flat(), Resource }))
    .filter(({ actions }) => actions.some((action) => action.startsWith('dynamodb:')));
  return granted
    .map(({ actions, Resource }) => {
      const names = actions.map((action) => action.replace('dynamodb:', '')).sort();
      return `${Resource['Fn::GetAtt'][0]} ${names.join(' ')}`;
    })
    .join('; ');
}

/** Returns the function that the gateway calls for a method on a path. */
function functionAt(method: string, path: string): string {
  const pathOf = (id: string): string => {
    const { PathPart, ParentId } = resource(template, id).Properties;
    return `${ParentId.Ref ? pathOf(ParentId.Ref) : ''}/${PathPart}`;
  };
  const found = propertiesOf(template, 'AWS::ApiGateway::Method').find(
    ({ HttpMethod, ResourceId }) =>
      HttpMethod === method.toUpperCase() && ResourceId.Ref && pathOf(ResourceId.Ref) === path,
  );
  const names = Object.keys(ofType(template, 'AWS::Lambda::Function'));
  const uri = JSON.stringify(found?.Integration.Uri);
  return names.find((name) => uri?.includes(`"${name}"`)) ?? 'no function';
}

type Operation = { security: [{ accessToken: string[] }]; responses: object };

test('each operation has its method, path, scope, table, actions and statuses', () => {
  const described = Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, responses }]) => {
      const name = functionAt(method, path);
      const successes = Object.keys(responses).filter((status) => status < '300');
      return (
        `${name}: ${method.toUpperCase()} ${path}, ${security[0].accessToken.join(' ')}, ` +
        `${accessOf(name)}, ${successes.join(' ')}`
      );
    }),
  );
  expect(described.sort()).toEqual(pinned);
});
