import { expect, test } from '@jest/globals';
import { readSettings, SettingsError } from '../../lib/stack/settings.ts';
import chosenSettings from './settings.json' with { type: 'json' };
import { settingsRead, templates } from './templates.ts';

/** Returns the words of a text. */
const words = (text: string): string[] => text.trim().split(/\s+/);

const read = (given: Record<string, unknown>) => {
  const context = Object.entries(given).map(([name, value]) => [`plant-store:${name}`, value]);
  return readSettings(Object.fromEntries(context));
};

const names = words(`
  instance retention architecture throttle-rate daily-requests authorizer-cache cors-origin
  alarm-email access-log domain certificate hosted-zone
`);

test('without settings, the defaults apply', () => {
  const others = {
    '@aws-cdk/core:anything': true,
    'plant-storex': 1,
    'other:domain': 1,
    'my-plant-store': 1,
  };
  expect(readSettings(others)).toEqual({
    retention: 'retain',
    architecture: 'arm64',
    'throttle-rate': 50,
    'authorizer-cache': 60,
    'access-log': false,
  });
});

test('the stack reads every setting', () => {
  expect(names.filter((name) => !settingsRead.has(name))).toEqual([]);
});

test('a setting has the same value from the command line and from cdk.json', () => {
  const asJson = { 'throttle-rate': 1, 'authorizer-cache': 0, 'access-log': true };
  const asText = { 'throttle-rate': '1', 'authorizer-cache': '0', 'access-log': 'true' };
  expect(read(asText)).toEqual(read(asJson));
  expect(read(asText)).toMatchObject(asJson);
  expect(read({ 'access-log': 'false' })).toEqual(read({ 'access-log': false }));
  expect(read({ 'access-log': 'false' })).toMatchObject({ 'access-log': false });
});

const domain = 'api.example.com';
const certificate = 'arn:aws:acm:eu-central-1:123456789012:certificate/0a';
const badOrigins = words(`
  example.com https://example.com/ https://a'b null https://a?x#y https://a#y https://*
  https://*.example.com https://user@example.com https://example.com:443 https://EXAMPLE.com
  https://exämple.com https:// ftp://example.com ** https://a\\b https://${'a.'.repeat(1e5)}?`);
const badAddresses = words(`
  a a@b a@b@example.com a@.com a@example. a@example..com ${'a'.repeat(65)}@example.com
  a@${'b.'.repeat(130)}com a@${'.'.repeat(2e5)}@ a@${'b.'.repeat(1e5)}`);
const badDomains = words(`
  example .example.com example.com. a..b -a.com a-.com a_b.com API.example.com *.example.com
  https://example.com example.com/v1 example.com:443 1.2.3.4 exämple.com ${'a'.repeat(61)}.com
  ${'a-'.repeat(1e5)}`);
const badCertificates = [certificate.replace(':acm:', ':iam:'), certificate.slice(4)];

// With quadratic time, an expression would take minutes for texts of 200,000 characters.
test.each<[name: string, good: unknown[], bad: unknown[], needs?: object]>([
  ['instance', ['a', 'A-1', 'x'.repeat(64)], ['-a', 'a_b', 'x'.repeat(65), 'a'.repeat(2e5), 1]],
  ['retention', ['retain', 'destroy'], ['snapshot', true]],
  ['architecture', ['arm64', 'x86_64'], ['x64', 'ARM64']],
  ['throttle-rate', ['1', '10000', 200], ['0', '10001', '0.5', 0.5, '1e3', '-5', ' 5', null, true]],
  ['daily-requests', ['1', '999999999', 100_000], ['0', 0, '1000000000', 1e9, '1e5', '100,000']],
  ['authorizer-cache', ['0', '300'], ['-1', '301']],
  [
    'cors-origin',
    ['*', 'https://example.com', 'http://localhost:3000', 'http://[::1]:8080', 'http://a_b.test'],
    [...badOrigins, '*\n', 'https://a b', 'https://a\0b', 'https://a\0'],
  ],
  [
    'alarm-email',
    [
      ...['a@example.com', 'first.last+plants@mail.example.co.uk'],
      ...[`${'a'.repeat(64)}@example.com`, `a@${'b.'.repeat(124)}exam`],
    ],
    [
      ...badAddresses,
      `a@${'b.'.repeat(124)}examp`,
      'a b@example.com',
      'a\0@example.com',
      'a@b.c d',
    ],
  ],
  ['access-log', ['true', 'false', true, false], ['yes', '1', 1]],
  [
    'domain',
    ['example.com', 'a.bc', 'x-1.xn--p1ai', `${'a'.repeat(60)}.com`],
    [...badDomains, 'a b.com', 'example.com\n'],
    { certificate },
  ],
  [
    'certificate',
    [certificate, 'arn:aws-us-gov:acm:us-gov-west-1:123456789012:certificate/0a-b'],
    [...badCertificates, `${certificate} `, ` ${certificate}`, `arn:aws:acm:${'a-'.repeat(1e5)}`],
    { domain },
  ],
  [
    'hosted-zone',
    ['Z0', 'Z0123456789ABCDEFGHIJ'],
    ['/hostedzone/Z0', 'z0', 'example.com', 'Z'.repeat(33)],
    { domain },
  ],
])('%s accepts the values that AWS accepts, and no others', (name, good, bad, needs = {}) => {
  for (const value of good) {
    expect(() => read({ ...needs, [name]: value })).not.toThrow();
  }
  for (const value of ['', ...bad]) {
    expect(() => read({ ...needs, [name]: value })).toThrow(`plant-store:${name} must be `);
  }
});

/** AWS's own limits: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html */
const limits = {
  MemorySize: [128, 10_240],
  Timeout: [1, 900],
  TimeoutInMillis: [50, 29_000],
  AuthorizerResultTtlInSeconds: [0, 3600],
  ThrottlingRateLimit: [1, 10_000],
  ThrottlingBurstLimit: [1, 5000],
} as const;

const allBad = Object.fromEntries(names.map((name) => [`plant-store:${name}`, '?']));

test.each([
  ['lowest', 0, 'everything'],
  ['highest', 1, 'throwaway'],
] as const)('AWS accepts the %s number of each setting', async (_, end, group) => {
  const errors = await Promise.try(readSettings, allBad).catch(String);
  const ranges = `${errors}`.matchAll(
    /plant-store:([\w-]+) must be an integer from (\d+) to (\d+)/g,
  );
  const ends = Array.from(ranges, ([, name, ...range]) => [name, range[end]]);
  expect(ends.length).toBeGreaterThan(2);
  expect(chosenSettings[group]).toMatchObject(Object.fromEntries(ends));
  const rejected: string[] = [];
  JSON.stringify(templates[group], (key, value) => {
    const [least, most] = limits[key as keyof typeof limits] ?? [value, value];
    if (value < least || value > most) {
      rejected.push(`${key} ${value}`);
    }
    return value;
  });
  expect(rejected).toEqual([]);
});

test('the groups of settings that CI synthesizes include every setting', () => {
  const chosen = Object.values(chosenSettings).flatMap(Object.keys);
  expect([...new Set(chosen)].sort()).toEqual(names.toSorted());
});

test.each([
  // A domain has either a certificate or a hosted zone, and neither is given alone.
  { domain },
  { domain, certificate, 'hosted-zone': 'Z0' },
  { certificate },
  { 'hosted-zone': 'Z0' },
  { certificate, 'hosted-zone': 'Z0' },
  // A wrong type is one error, without what belongs together.
  { domain: true },
  { certificate: true },
  { 'hosted-zone': true },
  { retention: 'keep', 'hosted-zone': 'Z0' },
])('%j is rejected with one line', (given) => {
  expect(() => read(given)).toThrowErrorMatchingSnapshot();
});

test('one line lists every error', () => {
  const context = { ...allBad, 'plant-store:colour': 'green', retention: 'destroy' };
  expect(() => readSettings(context)).toThrowErrorMatchingSnapshot();
});

const misspelt = words(`
  alarm-email retention plantStore:retention plant_store:retention Plant-Store:retention
  plant-store.retention plants-store:retention plantstore:colour plant-store
`);
test.each(misspelt)('the misspelt key %s is rejected', (key) => {
  const message = `Bad settings: ${key} must be a key like plant-store:retention.`;
  expect(() => readSettings({ [key]: 'x' })).toThrow(new SettingsError(message));
});

test('settings outside the context of cdk.json are rejected, because CDK ignores them', () => {
  const beside = ['app', 'watch', 'plant-store:retention', 'alarm-email'];
  expect(() => readSettings({}, beside)).toThrow(
    new SettingsError(
      'Bad settings: plant-store:retention must be under "context" in cdk.json; ' +
        'alarm-email must be under "context" in cdk.json.',
    ),
  );
});
