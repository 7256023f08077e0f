import { expect, jest, test } from '@jest/globals';
import type { LocalOptions } from '../../lib/local/options.ts';
import { printReady } from '../../lib/local/ready.ts';

const ready = {
  baseUrl: 'http://127.0.0.1:3000/v1',
  token: 'TOKEN',
};
const options = { port: 3000, dynamodbPort: 8000, data: '.plant-store' };

const setPlatform = (value: NodeJS.Platform) =>
  Object.defineProperty(process, 'platform', { value, configurable: true });

test.each<[NodeJS.Platform, Partial<LocalOptions>, referenceUrl: string | undefined]>([
  ['linux', {}, 'http://127.0.0.1:3000/docs'],
  ['linux', { memory: true }, undefined],
  ['linux', { json: true }, undefined],
  ['linux', { dynamodbPort: 8123 }, undefined],
  ['win32', {}, undefined],
])('the output on %s with the options %j', (platform, more, referenceUrl) => {
  const { platform: own } = process;
  setPlatform(platform);
  const log = jest.spyOn(console, 'log').mockReturnValue();
  const { dynamodbPort, ...others } = { ...options, ...more };
  const dynamodbEndpoint = `http://127.0.0.1:${dynamodbPort}`;
  printReady({ ...ready, dynamodbEndpoint }, { dynamodbPort, ...others }, 'More.', referenceUrl);
  const [[text]] = log.mock.calls as [[string]];
  log.mockRestore();
  setPlatform(own);
  expect(text).toMatchSnapshot();
});
