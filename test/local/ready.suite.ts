import { expect, jest, test } from '@jest/globals';
import type { LocalOptions } from '../../lib/local/options.ts';
import { printReady } from '../../lib/local/ready.ts';

const setPlatform = (value: NodeJS.Platform) =>
  Object.defineProperty(process, 'platform', { value, configurable: true });

interface Start extends Partial<LocalOptions> {
  platform?: NodeJS.Platform;
  referenceUrl?: string;
}

/** Returns what a start prints, by default on Linux and on default ports. */
function print({ platform = 'linux', referenceUrl, ...more }: Start): string {
  const options = { port: 3000, dynamodbPort: 8000, data: '.plant-store', ...more };
  const dynamodbEndpoint = `http://127.0.0.1:${options.dynamodbPort}`;
  const ready = { baseUrl: 'http://127.0.0.1:3000/v1', token: 'TOKEN', dynamodbEndpoint };
  const { platform: own } = process;
  setPlatform(platform);
  const log = jest.spyOn(console, 'log').mockReturnValue();
  printReady(ready, options, 'More.', referenceUrl);
  const [[text]] = log.mock.calls as [[string]];
  log.mockRestore();
  setPlatform(own);
  return text;
}

test('the output of a start', () => {
  expect(print({})).toMatchSnapshot();
});

test.each<[start: Start, line: string]>([
  [{ referenceUrl: 'http://127.0.0.1:3000/docs' }, 'Reference:   http://127.0.0.1:3000/docs'],
  [{ memory: true }, 'DynamoDB:    http://127.0.0.1:8000 (in memory)'],
  [
    { dynamodbPort: 8123 },
    'DynamoDB:    --dynamodb-endpoint http://127.0.0.1:8123 (in .plant-store; --localhost is not this store)',
  ],
  [{ platform: 'win32' }, 'Create, list and delete a plant in Git Bash:'],
])('with %j, one line of the output differs: %s', (start, line) => {
  const usual = print({}).split('\n');
  const lines = print(start).split('\n');
  expect(lines.filter((one) => !usual.includes(one))).toEqual([line]);
});

test('the output of --json is one line', () => {
  expect(print({ json: true })).toBe(
    '{"baseUrl":"http://127.0.0.1:3000/v1","token":"TOKEN","dynamodbEndpoint":"http://127.0.0.1:8000"}',
  );
});
