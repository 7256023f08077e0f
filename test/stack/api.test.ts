import { describe, expect, test } from '@jest/globals';
import openApi from '../../docs/openapi.json' with { type: 'json' };
import { tableIds } from '../../functions/shared/table-schema.ts';
import { pinnedOperations } from '../support/pinned-operations.ts';
import { words } from '../support/words.ts';
import {
  accessOf,
  allTemplates,
  attributeOf,
  functionNames,
  idsOf,
  ownPartOf,
  propertiesOf,
  ref,
  resource,
  settings,
  type Template,
} from './templates.ts';

const templates = await allTemplates();
const { default: plain, everything, zone } = templates;
const all = Object.entries(templates);

/** Returns the methods of the API that call a function, by method and path. */
function methodsOf(template: Template) {
  const pathOf = (id: string): string => {
    const { PathPart, ParentId } = resource(template, id).Properties;
    return `${ParentId.Ref ? pathOf(ParentId.Ref) : ''}/${PathPart}`;
  };
  const methods = propertiesOf(template, 'AWS::ApiGateway::Method');
  return Object.fromEntries(
    methods
      .filter(({ Integration }) => Integration.Type !== 'MOCK')
      .map((method) => [`${method.HttpMethod} ${pathOf(method.ResourceId.Ref)}`, method]),
  );
}

/** Returns the call of each operation that the OpenAPI document describes, with its facts. */
function describedOperations() {
  const paths: Record<string, object> = openApi.paths;
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security, responses }]) => ({
      call: `${method.toUpperCase()} ${path}`,
      scope: security[0].accessToken.join(' '),
      successes: Object.keys(responses)
        .map(Number)
        .filter((status) => status < 300),
    })),
  );
}

test('the API and its document have the operations that are pinned, and no others', () => {
  const pinned = { 'test/support/pinned-operations.ts': pinnedOperations.map(({ call }) => call) };
  const described = describedOperations().map(({ call }) => call);
  expect({ 'test/support/pinned-operations.ts': described }).toEqual(pinned);
  expect(Object.keys(methodsOf(plain)).sort()).toEqual(described.toSorted());
});

describe.each(pinnedOperations)('$call', (pinned) => {
  const described = describedOperations().find(({ call }) => call === pinned.call);

  test('calls its function', () => {
    const { Integration } = methodsOf(plain)[pinned.call];
    const uri = JSON.stringify(Integration.Uri);
    const called = functionNames.filter((name) => uri.includes(`"${name}"`));
    expect(called).toEqual([pinned.function]);
  });

  test('needs its scope', () => {
    expect(described?.scope).toBe(pinned.scope);
  });

  test('may do its actions on its tables', () => {
    expect(accessOf(plain, pinned.function)).toEqual(pinned.access);
  });

  test('succeeds with its statuses', () => {
    expect(described?.successes).toEqual(pinned.successes);
  });
});

test.each(all)('only the gateway calls a function, for its operation (%s)', (_, whole) => {
  const template = ownPartOf(whole);
  const [authorizer] = idsOf(template, 'AWS::ApiGateway::Authorizer');
  const [stage] = idsOf(template, 'AWS::ApiGateway::Stage');
  const place = [ref('AWS::Region'), ':', ref('AWS::AccountId'), ':', ref('Api')];
  const api = ['arn:', ref('AWS::Partition'), ':execute-api:', ...place];
  const permission = (name: string, ...source: unknown[]) => ({
    Action: 'lambda:InvokeFunction',
    Principal: 'apigateway.amazonaws.com',
    FunctionName: attributeOf(name, 'Arn'),
    SourceArn: { 'Fn::Join': ['', [...api, ...source]] },
  });
  expect(new Set(propertiesOf(template, 'AWS::Lambda::Permission'))).toEqual(
    new Set([
      permission('Authorizer', '/authorizers/', ref(authorizer)),
      ...pinnedOperations.map(({ function: name, call }) => {
        const route = `/${call.replace(' ', '').replaceAll(/\{\w+\}/g, '*')}`;
        return permission(name, '/', ref(stage), route);
      }),
    ]),
  );
});

test.each(all)('the authorizer is asked about what looks like a token (%s)', (name, template) => {
  const [authorizer] = propertiesOf(template, 'AWS::ApiGateway::Authorizer');
  expect(authorizer).toMatchObject({
    Type: 'TOKEN',
    IdentitySource: 'method.request.header.Authorization',
    IdentityValidationExpression: '^[Bb][Ee][Aa][Rr][Ee][Rr] +pst_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$',
    AuthorizerResultTtlInSeconds: name === 'everything' ? 0 : 60,
  });
});

test.each(all)('the authorizer guards every method with a function (%s)', (_, template) => {
  const guarded = Object.entries(methodsOf(template));
  expect(guarded).toHaveLength(pinnedOperations.length);
  const [id] = idsOf(template, 'AWS::ApiGateway::Authorizer');
  const guard = { AuthorizationType: 'CUSTOM', AuthorizerId: ref(id) };
  for (const [call, { AuthorizationType, AuthorizerId }] of guarded) {
    expect({ call, AuthorizationType, AuthorizerId }).toEqual({ call, ...guard });
  }
});

test.each(all)('a method without a function answers OPTIONS only (%s)', (_, template) => {
  const guarded = Object.values(methodsOf(template));
  const methods = propertiesOf(template, 'AWS::ApiGateway::Method');
  for (const method of methods.filter((one) => !guarded.includes(one))) {
    expect(method).toMatchObject({ HttpMethod: 'OPTIONS', AuthorizationType: 'NONE' });
  }
});

test.each([
  ['default', plain, 50, 100],
  ['everything', everything, 200, 400],
])('the API is throttled, traced, and logs no bodies (%s)', (_, template, rate, burst) => {
  const [stage] = propertiesOf(template, 'AWS::ApiGateway::Stage');
  expect(stage).toMatchObject({ StageName: 'v1', TracingEnabled: true });
  const limits = { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst };
  expect(stage.MethodSettings).toEqual([
    { HttpMethod: '*', ResourcePath: '/*', DataTraceEnabled: false, ...limits },
  ]);
});

test('X-Ray records one in twenty requests of this stage', () => {
  const [rule, ...others] = propertiesOf(plain, 'AWS::XRay::SamplingRule');
  expect(others).toEqual([]);
  const place = ['arn:', ref('AWS::Partition'), ':apigateway:', ref('AWS::Region')];
  expect(rule.SamplingRule).toEqual({
    Version: 1,
    RuleName: 'PlantStore',
    Priority: 1000,
    ReservoirSize: 0,
    FixedRate: 0.05,
    ResourceARN: join(...place, '::/restapis/', ref('Api'), '/stages/', ref(stage)),
    ServiceType: 'AWS::ApiGateway::Stage',
    ServiceName: '*',
    Host: '*',
    HTTPMethod: '*',
    URLPath: '*',
  });
});

// A region has room for 25 rules: https://docs.aws.amazon.com/general/latest/gr/xray.html
test.each(all.filter(([name]) => name !== 'default'))(
  'a copy has no sampling rule (%s)',
  (_, template) => {
    expect(idsOf(template, 'AWS::XRay::SamplingRule')).toEqual([]);
  },
);

test('by default, there is no access log', () => {
  expect(propertiesOf(plain, 'AWS::ApiGateway::Stage')[0]).not.toHaveProperty('AccessLogSetting');
});

test('the access log has nothing in it that a client can write at will', () => {
  const { Format } = propertiesOf(everything, 'AWS::ApiGateway::Stage')[0].AccessLogSetting;
  const named = words(`
    extendedRequestId requestTime identity.sourceIp tlsVersion httpMethod resourcePath status
    error.responseType authorizer.principalId authorizer.tokenId responseLatency responseLength
  `);
  expect(Object.values(JSON.parse(Format))).toEqual(named.map((name) => `$context.${name}`));
});

test.each(all)(
  'the API accepts TLS from 1.2 on, under its own name, and IPv6 (%s)',
  (_, template) => {
    const domains = propertiesOf(template, 'AWS::ApiGateway::DomainName');
    for (const properties of [resource(template, 'Api').Properties, ...domains]) {
      expect(properties).toMatchObject({
        SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
        EndpointAccessMode: 'STRICT',
        EndpointConfiguration: { IpAddressType: 'dualstack', Types: ['REGIONAL'] },
      });
    }
  },
);

const [stage] = idsOf(plain, 'AWS::ApiGateway::Stage');
const [domainId = ''] = idsOf(zone, 'AWS::ApiGateway::DomainName');
const regionalName = attributeOf(domainId, 'RegionalDomainName');
const join = (...parts: unknown[]) => ({ 'Fn::Join': ['', parts] });

const host = [ref('Api'), '.execute-api.', ref('AWS::Region'), '.', ref('AWS::URLSuffix')];
const executeApi: unknown = join('https://', ...host, '/', ref(stage));
const addresses: Record<keyof typeof templates, Record<string, unknown>> = {
  default: { BaseUrl: executeApi },
  throwaway: { BaseUrl: executeApi },
  everything: {
    BaseUrl: 'https://api.example.com/v1',
    DnsRecord: join('api.example.com. CNAME ', regionalName, '.'),
  },
  zone: { BaseUrl: 'https://store.example.com/v1' },
};

test.each(all)(
  'outputs are the address, the tables and the next command (%s)',
  (name, template) => {
    const tables = Object.values(tableIds).map((id) => [`${id}TableName`, ref(id)]);
    const stack = name === 'default' ? 'PlantStore' : `PlantStore-${name}`;
    const outputs = {
      ...addresses[name as keyof typeof addresses],
      ...Object.fromEntries(tables),
      NextCommand: `npm run token -- issue --owner YOUR_NAME --stack ${stack}`,
    };
    // toEqual also fails on an export, whose name would be unique in a region.
    expect(template.Outputs).toEqual(
      Object.fromEntries(Object.entries(outputs).map(([id, Value]) => [id, { Value }])),
    );
  },
);

interface Domain {
  name: keyof typeof templates;
  domains: string[];
  disabled: boolean | undefined;
}
const domains: Domain[] = [
  { name: 'default', domains: [], disabled: undefined },
  { name: 'everything', domains: ['api.example.com'], disabled: true },
  { name: 'zone', domains: ['store.example.com'], disabled: undefined },
];

test.each(domains)('only v1 answers at the domain ($name)', ({ name, domains }) => {
  const template = templates[name];
  const names = propertiesOf(template, 'AWS::ApiGateway::DomainName');
  expect(names.map(({ DomainName }) => DomainName)).toEqual(domains);
  expect(propertiesOf(template, 'AWS::ApiGateway::BasePathMapping')).toEqual(
    domains.map(() => ({
      BasePath: 'v1',
      DomainName: ref(domainId),
      RestApiId: ref('Api'),
      Stage: ref(stage),
    })),
  );
});

test.each(domains)('only domain-only turns off execute-api ($name)', ({ name, disabled }) => {
  expect(resource(templates[name], 'Api').Properties.DisableExecuteApiEndpoint).toBe(disabled);
});

test('a certificate of the deployer is used as it is', () => {
  const [domain] = propertiesOf(everything, 'AWS::ApiGateway::DomainName');
  expect(domain.RegionalCertificateArn).toBe(settings.everything.certificate);
});

test('with a hosted zone, the stack makes the certificate and the records in it', () => {
  const { 'hosted-zone': HostedZoneId, domain: DomainName } = settings.zone;
  expect(propertiesOf(zone, 'AWS::CertificateManager::Certificate')).toMatchObject([
    { DomainName, DomainValidationOptions: [{ DomainName, HostedZoneId }] },
  ]);
  const [certificate] = idsOf(zone, 'AWS::CertificateManager::Certificate');
  expect(resource(zone, domainId).Properties.RegionalCertificateArn).toEqual(ref(certificate));
  const AliasTarget = {
    DNSName: regionalName,
    HostedZoneId: attributeOf(domainId, 'RegionalHostedZoneId'),
  };
  expect(propertiesOf(zone, 'AWS::Route53::RecordSet')).toEqual([
    { Name: `${DomainName}.`, Type: 'A', HostedZoneId, AliasTarget },
    { Name: `${DomainName}.`, Type: 'AAAA', HostedZoneId, AliasTarget },
  ]);
});
