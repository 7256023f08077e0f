import { expect, test } from '@jest/globals';
import { readSettings, SettingsError, settingNames } from '../../lib/settings.ts';
import { words } from '../support/words.ts';
import chosenSettings from './settings.json' with { type: 'json' };

const read = (given: Record<string, unknown>) => {
  const context = Object.entries(given).map(([name, value]) => [`plant-store:${name}`, value]);
  return readSettings(Object.fromEntries(context));
};

test('without settings there are defaults', () => {
  const others = { '@aws-cdk/core:anything': true, 'plant-storex': 1, 'other:memory': 1 };
  expect(readSettings(others)).toEqual({
    retention: 'retain',
    architecture: 'arm64',
    memory: 512,
    'throttle-rate': 50,
    'throttle-burst': 100,
    'authorizer-cache': 60,
    'log-retention': 30,
    'domain-only': false,
    'access-log': false,
    'source-maps': 'off',
  });
});

test('a setting is the same as text of the command line and as JSON of cdk.json', () => {
  const asJson = {
    memory: 1024,
    'throttle-rate': 1,
    'authorizer-cache': 0,
    'log-retention': 3653,
    'access-log': true,
  };
  const asText = Object.fromEntries(Object.entries(asJson).map(([name, one]) => [name, `${one}`]));
  expect(read(asText)).toEqual(read(asJson));
  expect(read(asText)).toMatchObject(asJson);
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

// The texts of 200 000 characters would take minutes if an expression took quadratic time.
test.each<[name: string, good: unknown[], bad: unknown[], needs?: object]>([
  ['instance', ['a', 'A-1', 'x'.repeat(64)], ['-a', 'a_b', 'x'.repeat(65), 'a'.repeat(2e5), 1]],
  ['retention', ['retain', 'destroy'], ['snapshot', true]],
  ['architecture', ['arm64', 'x86_64'], ['x64', 'ARM64']],
  ['memory', ['128', '10240'], ['127', '10241', '512.5', 512.5, '1e3', '-512', ' 512', null]],
  ['throttle-rate', ['1', '10000'], ['0', '10001', '0.5']],
  ['throttle-burst', ['1', '5000'], ['0', '5001']],
  ['authorizer-cache', ['0', '300'], ['-1', '301']],
  ['log-retention', ['1', '30', '3653'], ['0', '2', '31', '4000', 'forever']],
  [
    'cors-origin',
    ['*', 'https://example.com', 'http://localhost:3000', 'http://[::1]:8080', 'http://a_b.test'],
    [...badOrigins, '*\n', 'https://a b', 'https://a\0b', 'https://a\0'],
  ],
  [
    'alarm-email',
    ['a@example.com', 'first.last+plants@mail.example.co.uk', `${'a'.repeat(64)}@example.com`],
    [...badAddresses, 'a b@example.com', 'a\0@example.com'],
  ],
  ['monthly-budget', ['1', '1000000', 20], ['0', '1000001', '9.99'], { 'alarm-email': 'a@b.io' }],
  [
    'domain',
    ['example.com', 'a.bc', 'x-1.xn--p1ai', `${'a'.repeat(60)}.com`],
    [...badDomains, 'a b.com', 'example.com\n'],
    { certificate },
  ],
  [
    'certificate',
    [certificate, 'arn:aws-us-gov:acm:us-gov-west-1:123456789012:certificate/0a-b'],
    [...badCertificates, `${certificate} `, `arn:aws:acm:${'a-'.repeat(1e5)}`],
    { domain },
  ],
  [
    'hosted-zone',
    ['Z0', 'Z0123456789ABCDEFGHIJ'],
    ['/hostedzone/Z0', 'z0', 'example.com', 'Z'.repeat(33)],
    { domain },
  ],
  ['domain-only', ['true', 'false', true, false], ['yes', '1', 1], { domain, certificate }],
  ['access-log', ['true', 'false', true, false], ['yes', '1', 1]],
  ['source-maps', ['off', 'inline', 'linked'], ['true', true]],
])('%s takes what AWS takes and nothing else', (name, good, bad, needs = {}) => {
  for (const value of good) {
    expect(() => read({ ...needs, [name]: value })).not.toThrow();
  }
  for (const value of ['', ...bad]) {
    expect(() => read({ ...needs, [name]: value })).toThrow(`plant-store:${name} must be `);
  }
});

test('the settings that CI checks include every setting', () => {
  const chosen = Object.values(chosenSettings).flatMap(Object.keys);
  expect([...new Set(chosen)].sort()).toEqual([...settingNames].sort());
});

test.each([
  [{ 'monthly-budget': 1 }, 'monthly-budget needs plant-store:alarm-email, where its warnings go'],
  [{ domain }, 'domain needs either plant-store:certificate or plant-store:hosted-zone'],
  [
    { domain, certificate, 'hosted-zone': 'Z0' },
    'domain needs either plant-store:certificate or plant-store:hosted-zone',
  ],
  [{ certificate }, 'certificate needs plant-store:domain'],
  [{ 'hosted-zone': 'Z0' }, 'hosted-zone needs plant-store:domain'],
  [{ 'domain-only': 'true' }, 'domain-only needs plant-store:domain'],
  [
    { 'hosted-zone': 'Z0', 'domain-only': true, memory: 1 },
    'memory must be an integer from 128 to 10240, not 1; ' +
      'plant-store:hosted-zone needs plant-store:domain; ' +
      'plant-store:domain-only needs plant-store:domain',
  ],
])('settings that need each other are refused alone: %j', (given, fault) => {
  expect(() => read(given)).toThrow(new SettingsError(`Bad settings: plant-store:${fault}.`));
});

test('an unknown setting and every bad value are named in one line', () => {
  const faults = () => read({ memory: 'much', colour: 'green', 'alarm-email': 'nobody' });
  expect(faults).toThrow(SettingsError);
  expect(faults).toThrow(
    /^Bad settings: plant-store:colour is unknown \(there are instance, .*\); plant-store:memory must be .*, not "much"; plant-store:alarm-email must be an e-mail address, not "nobody"\.$/,
  );
});

const misspelt = words(`
  alarm-email ${'plant-store'.replace('-', '')}:alarm-email memory plantStore:memory
  plant_store:memory Plant-Store:memory plant-store.memory plants-store:memory`);
test.each(misspelt)('the key %s is refused, because it is a setting but for its prefix', (key) => {
  const message = `Bad settings: ${key} must be plant-store:${key.replace(/^.*[:.]/, '')}.`;
  expect(() => readSettings({ [key]: '1024' })).toThrow(new SettingsError(message));
});

test('settings beside the context of cdk.json are refused, because CDK ignores them', () => {
  const beside = ['app', 'watch', 'plant-store:memory', 'plant-store'];
  expect(() => readSettings({}, beside)).toThrow(
    new SettingsError(
      'Bad settings: plant-store:memory must be under "context" in cdk.json; ' +
        'plant-store must be under "context" in cdk.json.',
    ),
  );
});

test('settings in an object of their own are refused, because none of them would be read', () => {
  expect(() => readSettings({ 'plant-store': { memory: 1024 } })).toThrow(
    new SettingsError(
      'Bad settings: plant-store must be keys of their own, like plant-store:memory.',
    ),
  );
});
