import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readTemplate } from '../../lib/offline/template/template.ts';
import { unsupported } from './cases/unsupported.ts';
import { copyOf, startFixture, synthesizeFixture } from './fixture.ts';

interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
  Condition?: string;
}
interface TemplateFile {
  Resources: Record<string, Resource>;
  Conditions?: object;
  Transform?: string;
}

const assembly = await synthesizeFixture();
const original: TemplateFile = JSON.parse(
  readFileSync(join(assembly, 'Fixture.template.json'), 'utf8'),
);

/** Copies the fixture's assembly with a changed template. */
function changed(change: (template: TemplateFile) => void): string {
  const folder = copyOf(assembly);
  const template = structuredClone(original);
  change(template);
  writeFileSync(join(folder, 'Fixture.template.json'), JSON.stringify(template));
  return folder;
}

/** The logical id of the first resource of a type. */
const idOf = (type: string) =>
  Object.keys(original.Resources).find((id) => original.Resources[id]?.Type === type) ?? type;

/** Copies the fixture's assembly with other members in the first resource of a type. */
const withMembers = (type: string, members: Partial<Resource>) =>
  changed(({ Resources }) => Object.assign(Resources[idOf(type)] as Resource, members));
const withProperties = (type: string, properties: object) =>
  withMembers(type, {
    Properties: { ...original.Resources[idOf(type)]?.Properties, ...properties },
  });

describe('the emulator refuses what it does not support, in one line that names it', () => {
  const refusal = (place: string) =>
    new RegExp(`^${place.replaceAll('.', '\\.')}: the emulator does not support [^\\n]+\\.$`);

  test.each(unsupported)('%s with %j %j', (type, path, value) => {
    const [property = '', ...members] = path;
    const given = members.reduceRight((inner: unknown, member) => ({ [member]: inner }), value);
    const reading = () => readTemplate(withProperties(type, { [property]: given }));
    expect(reading).toThrow(refusal([idOf(type), ...path].join('.')));
  });

  test.each([...new Set(unsupported.map(([type]) => type))])(
    'an unknown property of %s, or an unknown condition on it',
    (type) => {
      const id = idOf(type);
      const novel = withProperties(type, { Novelty: 1 });
      expect(() => readTemplate(novel)).toThrow(refusal(`${id}.Novelty`));
      const conditional = withMembers(type, { Condition: 'Sometimes' });
      expect(() => readTemplate(conditional)).toThrow(refusal(`${id}.Condition`));
    },
  );

  test('a transform', () => {
    const transform = { Transform: 'AWS::Serverless-2016-10-31' };
    const folder = changed((template) => Object.assign(template, transform));
    expect(() => readTemplate(folder)).toThrow(refusal('Transform'));
  });

  const expression = (IdentityValidationExpression: string) => ({ IdentityValidationExpression });
  const method = 'ApiGateway::Method';
  const authorizer = 'ApiGateway::Authorizer';
  const nobody = { AuthorizationType: 'CUSTOM', AuthorizerId: 'Nobody' };
  const noFunction = { AuthorizerUri: 'arn:aws:lambda:function:Nobody/invocations' };
  test.each<[string, object, RegExp]>([
    [method, nobody, /support an authorizer outside of the template, Nobody/],
    [authorizer, noFunction, /support a function outside of the template, /],
    ['Lambda::Function', { Code: { S3Key: 'x' } }, /has no asset x\./],
    [authorizer, expression('[a-z&&[^b]]'), /b.*, which Java and JavaScript read differently/],
    [authorizer, expression('(?i)bearer .*'), /Invalid regular expression/],
  ])('%s with %j', async (type, properties, message) => {
    const folder = withProperties(`AWS::${type}`, properties);
    await expect(startFixture({ assembly: folder })).rejects.toThrow(message);
  });
});

test('what no answer depends on is left alone, and named if it would serve somebody', () => {
  const admin = [{ Ref: 'Admin' }];
  const ruby = { Runtime: 'ruby3.4', Role: { 'Fn::GetAtt': ['Admin', 'Arn'] }, Layers: ['x'] };
  const all = { ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'] };
  const policy = { Roles: admin, PolicyDocument: { Statement: [{ NotAction: 1 }] } };
  const never = { Never: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'nowhere'] } };
  const folder = changed((template) => {
    template.Conditions = never;
    Object.assign(template.Resources, {
      Robot: { Type: 'AWS::Lambda::Function', Properties: ruby },
      Admin: { Type: 'AWS::IAM::Role', Properties: all },
      AdminPolicy: { Type: 'AWS::IAM::Policy', Properties: policy },
      Stranger: { Type: 'Custom::Stranger', Properties: { 'Fn::Transform': 'x' } },
      Gone: { Type: 'AWS::SQS::Queue', Condition: 'Never' },
    });
  });
  const named = ['AWS::Lambda::Function Robot', 'Custom::Stranger Stranger'];
  expect(readTemplate(folder).leftOut).toEqual(named);
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
])('a statement on %j with a condition is judged: %p', (Action, isJudged) => {
  const Statement = [{ Effect: 'Allow', Action, Resource: '*', Condition: { Bool: {} } }];
  const folder = withProperties('AWS::IAM::Policy', { PolicyDocument: { Statement } });
  const reading = expect(() => readTemplate(folder));
  if (isJudged) {
    reading.toThrow(/\.PolicyDocument\.Statement\.Condition: the emulator does not/);
  } else {
    reading.not.toThrow();
  }
});

test("a role's own policies, and those that are managed, are read like others", () => {
  const Statement = { Effect: 'Allow', Action: 'dynamodb:Scan', Resource: 'arn:x' };
  const PolicyDocument = { Version: '2012-10-17', Statement };
  const id = idOf('AWS::IAM::Role');
  const policy = (type: string, more: object) => ({
    Type: `AWS::IAM::${type}`,
    Properties: { PolicyDocument, ...more },
  });
  const folder = changed(({ Resources }) => {
    Object.assign(Resources, {
      OfRole: policy('ManagedPolicy', { ManagedPolicyName: 'scan' }),
      ToRole: policy('ManagedPolicy', { Roles: [{ Ref: id }] }),
      Single: policy('RolePolicy', { PolicyName: 'x', RoleName: { Ref: id } }),
    });
    Object.assign(Resources[id]?.Properties ?? {}, {
      ManagedPolicyArns: [{ Ref: 'OfRole' }],
      Policies: [{ PolicyName: 'x', PolicyDocument }],
    });
  });
  const read = [...readTemplate(folder).of('AWS::IAM::Policy').values()].filter(
    ({ Roles, PolicyDocument }) =>
      Roles.includes(id) && JSON.stringify(PolicyDocument).includes('dynamodb:Scan'),
  );
  expect(read).toHaveLength(4);
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
  ])('%j', (VALUE, expected) => {
    const type = 'AWS::Lambda::Function';
    const folder = withProperties(type, { Environment: { Variables: { VALUE } } });
    const { Environment } = readTemplate(folder).of(type).get(idOf(type)) ?? {};
    expect(Environment?.Variables?.VALUE).toBe(expected);
  });

  test('the region comes from the environment', () => {
    process.env.AWS_REGION = 'eu-north-1';
    try {
      const [method] = readTemplate(assembly).of('AWS::ApiGateway::Method').values();
      expect(method?.Integration.Uri).toMatch(/^arn:aws:apigateway:eu-north-1:lambda:/);
    } finally {
      delete process.env.AWS_REGION;
    }
  });
});

test('a function is found in the folder that it is deployed from', () => {
  const template = readTemplate(assembly);
  for (const name of template.of('AWS::Lambda::Function').keys()) {
    expect(readdirSync(template.folder(name))).toEqual(['index.mjs']);
  }
});
