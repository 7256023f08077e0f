import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readTemplate } from '../../lib/emulator/template/template.ts';
import { unsupported } from './cases/unsupported.ts';
import { copyOf, startFixture, synthesizeFixture } from './fixture.ts';

type Json = { [name: string]: never };
interface TemplateFile {
  Resources: Record<
    string,
    { Type: string; Properties: Record<string, unknown>; Condition?: string }
  >;
  Transform?: string;
}

let assembly: string;
let original: TemplateFile;
beforeAll(async () => {
  assembly = await synthesizeFixture();
  original = JSON.parse(readFileSync(join(assembly, 'Fixture.template.json'), 'utf8'));
});

/** Copies the fixture's assembly with a changed template. */
function changed(change: (template: TemplateFile) => void): string {
  const folder = copyOf(assembly);
  const template = structuredClone(original);
  change(template);
  writeFileSync(join(folder, 'Fixture.template.json'), JSON.stringify(template));
  return folder;
}

/** Copies the fixture's assembly with other properties in the first resource of a type. */
const withProperties = (type: string, properties: object) =>
  changed((template) => Object.assign(resource(template, type).properties, properties));

/** The first resource of a type, with its logical id. */
function resource({ Resources }: TemplateFile, type: string) {
  const [logicalId, found] = Object.entries(Resources).find(([, { Type }]) => Type === type) ?? [];
  if (logicalId === undefined || !found) throw new Error(`The fixture has no ${type}.`);
  return { logicalId, properties: found.Properties as Record<string, Json>, resource: found };
}

describe('the emulator refuses what it does not support, in one line that names it', () => {
  const types = Object.keys(unsupported).map((type) => `AWS::${type}`);

  test.each(types)('an unknown property of %s', (type) => {
    const { logicalId } = resource(original, type);
    expect(() => readTemplate(withProperties(type, { Novelty: 1 }))).toThrow(
      `${logicalId}.Novelty: the emulator does not support this property.`,
    );
  });

  test.each(types)('an unknown condition on %s', (type) => {
    const folder = changed((template) =>
      Object.assign(resource(template, type).resource, { Condition: 'Sometimes' }),
    );
    expect(() => readTemplate(folder)).toThrow(
      /^\w+\.Condition: the emulator does not support the condition Sometimes\./,
    );
  });

  test.each(
    Object.entries(unsupported).flatMap(([type, rows]) =>
      rows.map(([property, value, member]): [string, string, unknown, string] => [
        `AWS::${type}`,
        property,
        value,
        member ? `${property}.${member}` : property,
      ]),
    ),
  )('%s with %s %j', (type, property, value, path) => {
    const { logicalId } = resource(original, type);
    expect(() => readTemplate(withProperties(type, { [property]: value }))).toThrow(
      new RegExp(
        `^${logicalId}\\.${path.replaceAll('.', '\\.')}: the emulator does not support [^\\n]+\\.$`,
      ),
    );
  });

  test('a transform', () => {
    expect(() =>
      readTemplate(
        changed((template) => Object.assign(template, { Transform: 'AWS::Serverless-2016-10-31' })),
      ),
    ).toThrow(/Transform/);
  });

  const noAuthorizer = { AuthorizationType: 'CUSTOM', AuthorizerId: 'Nobody' };
  const noFunction = { AuthorizerUri: 'arn:aws:lambda:function:Nobody/invocations' };
  const expression = (IdentityValidationExpression: string) => ({ IdentityValidationExpression });
  const differently = /support .*b.*, which Java and JavaScript read differently/;
  const invalid = /Invalid regular expression/;
  const [method, authorizer] = ['ApiGateway::Method', 'ApiGateway::Authorizer'];
  test.each([
    [
      'an authorizer that is not there',
      method,
      noAuthorizer,
      /support an authorizer outside of the template, Nobody/,
    ],
    [
      'a function that is not there',
      authorizer,
      noFunction,
      /support a function outside of the template, /,
    ],
    ['code that is not there', 'Lambda::Function', { Code: { S3Key: 'x' } }, /has no asset x\./],
    ['an expression that Java reads otherwise', authorizer, expression('[a-z&&[^b]]'), differently],
    ['an expression that JavaScript lacks', authorizer, expression('(?i)bearer .*'), invalid],
  ])('%s', async (_, type, properties, message) => {
    const folder = withProperties(`AWS::${type}`, properties);
    await expect(startFixture({ assembly: folder })).rejects.toThrow(message);
  });
});

describe('what no answer depends on', () => {
  const outside = {
    Robot: {
      Type: 'AWS::Lambda::Function',
      Properties: { Runtime: 'ruby3.4', Role: { 'Fn::GetAtt': ['Admin', 'Arn'] }, Layers: ['x'] },
    },
    Admin: {
      Type: 'AWS::IAM::Role',
      Properties: { ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'] },
    },
    AdminPolicy: {
      Type: 'AWS::IAM::Policy',
      Properties: { Roles: [{ Ref: 'Admin' }], PolicyDocument: { Statement: [{ NotAction: 1 }] } },
    },
    Stranger: { Type: 'Custom::Stranger', Properties: { 'Fn::Transform': 'x' } },
    Gone: { Type: 'AWS::SQS::Queue', Condition: 'Never' },
  };

  test('is left alone, and named if it would serve somebody', () => {
    const { leftOut } = readTemplate(
      changed((template) => {
        Object.assign(template, {
          Conditions: { Never: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'nowhere'] } },
        });
        Object.assign(template.Resources, outside);
      }),
    );
    expect(leftOut).toEqual(['AWS::Lambda::Function Robot', 'Custom::Stranger Stranger']);
  });

  test.each<[string | string[], boolean]>([
    ['s3:GetObject', false],
    [['s3:*', 'xray:PutTraceSegments'], false],
    ['dynamodb:GetItem', true],
    [['s3:*', 'DynamoDB:Get*'], true],
    ['*', true],
    ['*:*', true],
    ['dynamo*', true],
    ['d?namodb:*', true],
  ])('%j with a condition is judged: %p', (Action, isJudged) => {
    const Statement = [{ Effect: 'Allow', Action, Resource: '*', Condition: { Bool: {} } }];
    const folder = withProperties('AWS::IAM::Policy', { PolicyDocument: { Statement } });
    const reading = expect(() => readTemplate(folder));
    if (isJudged) reading.toThrow(/\.PolicyDocument\.Statement\.Condition: the emulator does not/);
    else reading.not.toThrow();
  });

  test("a role's own policies, and those that are managed, are read like others", () => {
    const dynamodb = { Effect: 'Allow', Action: 'dynamodb:Scan', Resource: 'arn:x' };
    const document = { Version: '2012-10-17', Statement: dynamodb };
    const role = resource(original, 'AWS::IAM::Role').logicalId;
    const folder = changed((template) => {
      Object.assign(template.Resources, {
        OfRole: {
          Type: 'AWS::IAM::ManagedPolicy',
          Properties: { ManagedPolicyName: 'scan', PolicyDocument: document },
        },
        ToRole: {
          Type: 'AWS::IAM::ManagedPolicy',
          Properties: { PolicyDocument: document, Roles: [{ Ref: role }] },
        },
        Single: {
          Type: 'AWS::IAM::RolePolicy',
          Properties: { PolicyDocument: document, PolicyName: 'x', RoleName: { Ref: role } },
        },
      });
      const { properties } = resource(template, 'AWS::IAM::Role');
      Object.assign(properties, {
        ManagedPolicyArns: [{ Ref: 'OfRole' }],
        Policies: [{ PolicyName: 'x', PolicyDocument: document }],
      });
    });
    const read = [...readTemplate(folder).of('AWS::IAM::Policy').values()].filter(
      ({ Roles, PolicyDocument }) =>
        Roles.includes(role) && JSON.stringify(PolicyDocument).includes('dynamodb:Scan'),
    );
    expect(read).toHaveLength(4);
  });
});

describe('intrinsics are resolved', () => {
  const table = 'TableCD117FA1';
  const arn = `arn:aws:dynamodb:us-east-1:000000000000:table/${table}`;
  const getAtt = { 'Fn::GetAtt': [table, 'Arn'] };
  const partition = { Ref: 'AWS::Partition' };
  test.each([
    [{ Ref: table }, table],
    [{ Ref: 'AWS::Region' }, 'us-east-1'],
    [{ Ref: 'AWS::AccountId' }, '000000000000'],
    [partition, 'aws'],
    [{ Ref: 'AWS::URLSuffix' }, 'amazonaws.com'],
    [getAtt, arn],
    [{ 'Fn::GetAtt': `${table}.Arn` }, arn],
    [{ 'Fn::Join': ['-', ['a', partition, 'b']] }, 'a-aws-b'],
    [{ 'Fn::Select': [3, { 'Fn::Split': [':', getAtt] }] }, 'us-east-1'],
    [{ 'Fn::Select': ['0', ['a', 'b']] }, 'a'],
    [{ 'Fn::Sub': `\${AWS::Region}, \${${table}.Arn}, \${!Aa}` }, `us-east-1, ${arn}, \${Aa}`],
    [{ 'Fn::Sub': [`\${A} and \${${table}}`, { A: partition }] }, `aws and ${table}`],
    ['as it is', 'as it is'],
  ])('%j', (value, expected) => {
    const type = 'AWS::Lambda::Function';
    const { logicalId } = resource(original, type);
    const folder = withProperties(type, { Environment: { Variables: { VALUE: value } } });
    expect(readTemplate(folder).of(type).get(logicalId)?.Environment?.Variables?.VALUE).toBe(
      expected,
    );
  });

  test('the region comes from the environment', () => {
    process.env.AWS_REGION = 'eu-north-1';
    try {
      const [method] = [...readTemplate(assembly).of('AWS::ApiGateway::Method').values()];
      expect(method?.Integration.Uri).toMatch(/^arn:aws:apigateway:eu-north-1:lambda:/);
    } finally {
      delete process.env.AWS_REGION;
    }
  });
});

test('a function is found in the folder that it is deployed from', () => {
  const template = readTemplate(assembly);
  for (const name of template.of('AWS::Lambda::Function').keys())
    expect(readdirSync(template.folder(name))).toEqual(['index.mjs']);
});
