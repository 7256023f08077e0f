import { expect, test } from '@jest/globals';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { ofType, propertiesOf, resource, settings, templateWith } from './templates.ts';

const plain = await templateWith(settings.default);
const everything = await templateWith(settings.everything);
const zone = await templateWith(settings.zone);

const stage = { Ref: Object.keys(ofType(plain, 'AWS::ApiGateway::Stage'))[0] };
const tls = {
  SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
  EndpointAccessMode: 'STRICT',
  EndpointConfiguration: { Types: ['REGIONAL'] },
};

test.each([
  ['default', plain],
  ['everything', everything],
  ['zone', zone],
])('the API accepts TLS from 1.2 on, under its own name (%s)', (_, template) => {
  expect(resource(template, 'Api').Properties).toMatchObject(tls);
  for (const domain of propertiesOf(template, 'AWS::ApiGateway::DomainName'))
    expect(domain).toMatchObject(tls);
});

const [domainId = ''] = Object.keys(ofType(zone, 'AWS::ApiGateway::DomainName'));
const domainOutput = (name: string) => ({ 'Fn::GetAtt': [domainId, name] });

test.each([
  [
    'default',
    plain,
    '',
    {
      BaseUrl: {
        Value: {
          'Fn::Join': [
            '',
            [
              ...['https://', { Ref: 'Api' }, '.execute-api.', { Ref: 'AWS::Region' }, '.'],
              ...[{ Ref: 'AWS::URLSuffix' }, '/', stage],
            ],
          ],
        },
      },
    },
  ],
  [
    'everything',
    everything,
    ' --stack PlantStore-everything',
    {
      BaseUrl: { Value: 'https://api.example.com/v1' },
      DnsRecord: {
        Value: {
          'Fn::Join': ['', ['api.example.com. CNAME ', domainOutput('RegionalDomainName'), '.']],
        },
      },
    },
  ],
  [
    'zone',
    zone,
    ' --stack PlantStore-zone',
    { BaseUrl: { Value: 'https://store.example.com/v1' } },
  ],
])(
  'outputs are the address, the tables and the next command (%s)',
  (_, template, copy, address) => {
    expect(template.Outputs).toEqual({
      ...address,
      ...Object.fromEntries(
        Object.values(tableIds).map((id) => [`${id}TableName`, { Value: { Ref: id } }]),
      ),
      NextCommand: { Value: `npm run token -- issue --owner YOUR_NAME${copy}` },
    });
  },
);

test.each([
  ['default', plain, []],
  ['everything', everything, ['api.example.com']],
  ['zone', zone, ['store.example.com']],
])('only the stage v1 answers at the domain, below /v1 (%s)', (_, template, domains) => {
  const names = propertiesOf(template, 'AWS::ApiGateway::DomainName');
  expect(names.map(({ DomainName }) => DomainName)).toEqual(domains);
  expect(propertiesOf(template, 'AWS::ApiGateway::BasePathMapping')).toEqual(
    domains.map(() => ({
      BasePath: 'v1',
      DomainName: { Ref: domainId },
      RestApiId: { Ref: 'Api' },
      Stage: stage,
    })),
  );
});

test('a certificate of the deployer is used as it is', () => {
  const [domain] = propertiesOf(everything, 'AWS::ApiGateway::DomainName');
  expect(domain.RegionalCertificateArn).toBe(settings.everything.certificate);
});

test('with a hosted zone, the stack makes the certificate and the record in it', () => {
  const HostedZoneId = settings.zone['hosted-zone'];
  const DomainName = settings.zone.domain;
  expect(propertiesOf(zone, 'AWS::CertificateManager::Certificate')).toMatchObject([
    { DomainName, DomainValidationOptions: [{ DomainName, HostedZoneId }] },
  ]);
  const [certificate] = Object.keys(ofType(zone, 'AWS::CertificateManager::Certificate'));
  expect(resource(zone, domainId).Properties.RegionalCertificateArn).toEqual({ Ref: certificate });
  expect(propertiesOf(zone, 'AWS::Route53::RecordSet')).toEqual([
    {
      Name: `${DomainName}.`,
      Type: 'A',
      HostedZoneId,
      AliasTarget: {
        DNSName: domainOutput('RegionalDomainName'),
        HostedZoneId: domainOutput('RegionalHostedZoneId'),
      },
    },
  ]);
});

test.each([
  ['default', plain, undefined],
  ['everything', everything, true],
  ['zone', zone, undefined],
])('execute-api is turned off by domain-only alone (%s)', (_, template, disabled) => {
  expect(resource(template, 'Api').Properties.DisableExecuteApiEndpoint).toBe(disabled);
});
