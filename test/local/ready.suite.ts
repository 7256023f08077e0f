import { expect, jest, test } from '@jest/globals';
import type { LocalOptions } from '../../lib/local/options.ts';
import { printReady } from '../../lib/local/ready.ts';

const ready = {
  baseUrl: 'http://127.0.0.1:3000/v1',
  token: 'TOKEN',
  dynamodbEndpoint: 'http://127.0.0.1:8000',
};
const options = { port: 3000, dynamodbPort: 8000, data: '.plant-store' };

const setPlatform = (value: NodeJS.Platform) =>
  Object.defineProperty(process, 'platform', { value, configurable: true });

test.each<[NodeJS.Platform, Partial<LocalOptions>, referenceUrl: string | undefined]>([
  ['linux', {}, 'http://127.0.0.1:3000/docs'],
  ['linux', { memory: true }, undefined],
  ['linux', { json: true }, undefined],
  ['win32', {}, undefined],
])('the output on %s with the options %j', (platform, more, referenceUrl) => {
  const { platform: own } = process;
  setPlatform(platform);
  const log = jest.spyOn(console, 'log').mockReturnValue();
  printReady(ready, { ...options, ...more }, 'More.', referenceUrl);
  const [[text]] = log.mock.calls as [[string]];
  log.mockRestore();
  setPlatform(own);
  expect(text).toMatchSnapshot();
});
