import { expect, test } from '@jest/globals';
import { readSettings, SettingsError } from '../../lib/settings.ts';

const read = (given: Record<string, unknown>) =>
  readSettings(
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => [`plant-store:${name}`, value]),
    ),
  );

test('without settings there are defaults', () => {
  expect(readSettings({ '@aws-cdk/core:anything': true, 'plant-storex': 1 })).toEqual({
    retention: 'retain',
    architecture: 'arm64',
    memory: 512,
    'throttle-rate': 50,
    'throttle-burst': 100,
    'authorizer-cache': 60,
    'log-retention': 30,
    'access-log': false,
    'source-maps': false,
  });
});

test('a setting is the same as text of the command line and as JSON of cdk.json', () => {
  const asText = {
    memory: '1024',
    'throttle-rate': '1',
    'authorizer-cache': '0',
    'log-retention': '3653',
    'access-log': 'true',
  };
  const asJson = {
    memory: 1024,
    'throttle-rate': 1,
    'authorizer-cache': 0,
    'log-retention': 3653,
    'access-log': true,
  };
  expect(read(asText)).toEqual(read(asJson));
  expect(read(asText)).toMatchObject(asJson);
});

test.each([
  ['instance', ['a', 'A-1', 'x'.repeat(64)], ['', '-a', 'a_b', 'x'.repeat(65), 'a b', 1]],
  ['retention', ['retain', 'destroy'], ['snapshot', '', true]],
  ['architecture', ['arm64', 'x86_64'], ['x64', 'ARM64']],
  ['memory', ['128', '10240'], ['127', '10241', '512.5', 512.5, '1e3', '-512', '', ' 512', null]],
  ['throttle-rate', ['1', '10000'], ['0', '10001', '0.5']],
  ['throttle-burst', ['1', '5000'], ['0', '5001']],
  ['authorizer-cache', ['0', '300'], ['-1', '301']],
  ['log-retention', ['1', '30', '3653'], ['0', '2', '31', '4000', 'forever']],
  [
    'cors-origin',
    ['*', 'https://example.com', 'http://localhost:3000'],
    ['example.com', 'https://example.com/', "https://a'b", 'https://a b', 'null', ''],
  ],
  ['alarm-email', ['a@example.com'], ['a', 'a@b', 'a b@example.com', '']],
  ['access-log', ['true', 'false', true, false], ['yes', '1', 1, '']],
  ['source-maps', ['true', 'false', true, false], ['yes', '1', 1, '']],
])('%s takes what AWS takes and nothing else', (name, good, bad) => {
  for (const value of good) expect(() => read({ [name]: value })).not.toThrow();
  for (const value of bad)
    expect(() => read({ [name]: value })).toThrow(`plant-store:${name} must be `);
});

test('an unknown setting and every bad value are named in one line', () => {
  const faults = () => read({ memory: 'much', colour: 'green', 'alarm-email': 'nobody' });
  expect(faults).toThrow(SettingsError);
  expect(faults).toThrow(
    /^Bad settings: plant-store:colour is unknown \(there are instance, .*\); plant-store:memory must be .*, not "much"; plant-store:alarm-email must be an e-mail address, not "nobody"\.$/,
  );
});
