import { expect, test } from '@jest/globals';
import { propertiesOf, settings, type Template, templateWith } from './templates.ts';

/** Names that are unique in a region or in another resource. All others count as global. */
const local = [
  'AWS::ApiGateway::Authorizer Name',
  // Unique in a region, says AWS's page on custom domain names.
  'AWS::ApiGateway::DomainName DomainName',
  'AWS::ApiGateway::RestApi Name',
  'AWS::ApiGateway::Stage StageName',
  'AWS::CertificateManager::Certificate DomainName',
  'AWS::CloudWatch::Alarm AlarmName',
  // What the alarm watches.
  'AWS::CloudWatch::Alarm MetricName',
  // An inline policy of a role without a name.
  'AWS::IAM::Policy PolicyName',
  'AWS::SNS::Topic DisplayName',
];

/** Returns the names that a template gives to its resources in a region of the account. */
function namesIn(region: string, template: Template): string[] {
  const filled: Template = JSON.parse(JSON.stringify(template), (_, value) => {
    if (value?.Ref === 'AWS::Region') return region;
    const [separator, parts] = value?.['Fn::Join'] ?? [];
    return parts?.every((part: unknown) => typeof part === 'string')
      ? parts.join(separator)
      : value;
  });
  return Object.values(filled.Resources).flatMap(({ Type, Properties }) =>
    Object.entries(Properties ?? {})
      // A reference is to a name that AWS makes up or that another resource has.
      .filter(([property, value]) => /Name$/.test(property) && typeof value === 'string')
      .map(([property, value]) => {
        const kind = `${Type} ${property}`;
        return local.includes(kind) ? `${kind} ${region} ${value}` : `${kind} ${value}`;
      }),
  );
}

test.each(Object.entries(settings))('two regions share no name (%s)', async (_, chosen) => {
  // The deployer chooses the domain.
  const template = (domain: string) =>
    templateWith('domain' in chosen ? { ...chosen, domain } : chosen);
  const [one, other] = [
    namesIn('eu-central-1', await template('eu.example.com')),
    namesIn('us-east-1', await template('us.example.com')),
  ];
  expect(one).toHaveLength(other.length);
  expect(one).toContainEqual(expect.stringMatching(/Dashboard DashboardName .*-eu-central-1$/));
  expect(one.filter((name) => other.includes(name))).toEqual([]);
});

test('nothing is exported, because an export has a name', async () => {
  for (const chosen of Object.values(settings))
    for (const output of Object.values((await templateWith(chosen)).Outputs))
      expect(Object.keys(output)).toEqual(['Value']);
});

test.each<[keyof typeof settings, string]>([
  ['default', 'PlantStore'],
  ['throwaway', 'PlantStore-throwaway'],
])('resources that cost money have the tag of their copy (%s)', async (group, name) => {
  const template = await templateWith(settings[group]);
  const tag = { Key: 'plant-store', Value: name };
  const tagged = [
    'AWS::ApiGateway::RestApi',
    'AWS::ApiGateway::Stage',
    'AWS::Lambda::Function',
    'AWS::Logs::LogGroup',
    'AWS::CloudWatch::Alarm',
  ];
  for (const type of tagged)
    for (const { Tags } of propertiesOf(template, type)) expect(Tags).toContainEqual(tag);
  for (const { Replicas } of propertiesOf(template, 'AWS::DynamoDB::GlobalTable'))
    expect(Replicas[0].Tags).toContainEqual(tag);
});
