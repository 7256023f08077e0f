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

test.each([
  '',
  '--port=0 --dynamodb-port=65535 --dynamodb-host=::1',
  '--inspect',
  '--inspect=0',
  '--inspect=0.0.0.0:65535',
  '--data=',
  '--memory --data x',
  '--data --memory',
  '--port 65536',
  '--port 8x',
  '--dynamodb-port -1',
  '--dynamodb-host localhost',
  '--inspect=65536',
  '--inspect=localhost',
  '--inspect=:9229',
  '--inspect=localhost:9229x',
])('npm start has these options, or fails with one line: “%s”', (options) => {
  expect(parse(...options.split(' ').filter(Boolean))).toMatchSnapshot();
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
