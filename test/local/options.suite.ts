import { join, resolve } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { parseArguments, samCommand, startCommand } from '../../lib/local/options.ts';
import { root } from '../support/checkout.ts';

/** Parses options of npm start. Returns them, or the message of an error. */
function parse(...args: string[]): unknown {
  const command = startCommand().exitOverride();
  command.configureOutput({ writeErr: () => {} });
  jest.replaceProperty(process, 'argv', ['node', 'bin/start.ts', ...args]);
  try {
    return parseArguments(command).opts();
  } catch (error) {
    return (error as Error).message;
  } finally {
    jest.restoreAllMocks();
  }
}

test.each([
  ['npm start', startCommand],
  ['npm run sam', samCommand],
])('the help of %s', (_, command) => {
  expect(command().configureHelp({ helpWidth: 80 }).helpInformation()).toMatchSnapshot();
});

const defaults = {
  port: 3000,
  dynamodbPort: 8000,
  dynamodbHost: '127.0.0.1',
  data: '.plant-store',
};
const noPort = 'is invalid. A port is 0 to 65535; 0 means any free port.';
const noDebugger = 'is invalid. An address looks like 127.0.0.1:9229.';

test.each<[options: string, expected: object | string]>([
  ['', defaults],
  [
    '--port=0 --dynamodb-port=65535 --dynamodb-host=::1',
    { ...defaults, port: 0, dynamodbPort: 65_535, dynamodbHost: '::1' },
  ],
  ['--inspect', { ...defaults, inspect: { host: '127.0.0.1', port: 9229 } }],
  ['--inspect=0', { ...defaults, inspect: { host: '127.0.0.1', port: 0 } }],
  ['--inspect=0.0.0.0:65535', { ...defaults, inspect: { host: '0.0.0.0', port: 65_535 } }],
  [
    '--data=',
    "error: option '--data <folder>' argument '' is invalid. Name a folder, or keep data in memory only with --memory.",
  ],
  ['--memory --data x', "error: option '--memory' cannot be used with option '--data <folder>'"],
  [
    '--data --memory',
    "error: option '--data <folder>' argument '--memory' is invalid. Add a value before --memory.",
  ],
  ['--port 65536', `error: option '--port <n>' argument '65536' ${noPort}`],
  ['--port 8x', `error: option '--port <n>' argument '8x' ${noPort}`],
  ['--dynamodb-port -1', `error: option '--dynamodb-port <n>' argument '-1' ${noPort}`],
  [
    '--dynamodb-host localhost',
    "error: option '--dynamodb-host <address>' argument 'localhost' is invalid. An address looks like 127.0.0.1 or ::1.",
  ],
  ['--inspect=65536', `error: option '--inspect [host:port]' argument '65536' ${noDebugger}`],
  [
    '--inspect=localhost',
    `error: option '--inspect [host:port]' argument 'localhost' ${noDebugger}`,
  ],
  ['--inspect=:9229', `error: option '--inspect [host:port]' argument ':9229' ${noDebugger}`],
  [
    '--inspect=localhost:9229x',
    `error: option '--inspect [host:port]' argument 'localhost:9229x' ${noDebugger}`,
  ],
])('npm start has these options, or fails with one line: “%s”', (options, expected) => {
  expect(parse(...options.split(' ').filter(Boolean))).toEqual(expected);
});

test('a folder is one from where npm was started, and the default one in the project’s', () => {
  process.env.INIT_CWD = join(root, 'docs');
  const own = parse('--data', './x');
  const byDefault = parse();
  delete process.env.INIT_CWD;
  expect(parse('--data', 'x')).toMatchObject({ data: resolve('x') });
  expect(own).toMatchObject({ data: join(root, 'docs', 'x') });
  expect(byDefault).toMatchObject({ data: '.plant-store' });
});

test('an option that npm consumed is rejected with the command to run', () => {
  const npm = { npm_lifecycle_event: 'start', npm_config_dynamodb_port: '1' };
  jest.replaceProperty(process, 'env', { ...process.env, ...npm });
  expect(parse()).toBe(
    'error: npm consumed --dynamodb-port. Put "--", with its quotes, before the options: npm start "--" …',
  );
});
