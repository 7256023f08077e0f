import { execFileSync, spawnSync } from 'node:child_process';
import { styleText } from 'node:util';
import { expect, test } from '@jest/globals';
import { jest } from './arguments.ts';

test('a test and the programs that it starts have one environment, without colours', () => {
  const program = 'console.log(JSON.stringify(process.env))';
  const ofProgram = execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  expect(JSON.parse(ofProgram)).toEqual({ ...process.env });
  expect(new Date(2026, 0).toJSON()).toBe('2026-01-01T00:00:00.000Z');
  expect(styleText('red', 'x', { stream: process.stderr })).toBe('x');
  const accounts = Object.entries(process.env).filter(([name]) => name.startsWith('AWS_'));
  expect(Object.fromEntries(accounts)).toEqual({
    AWS_CONFIG_FILE: expect.stringMatching(/null?$/i),
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_SHARED_CREDENTIALS_FILE: expect.stringMatching(/null?$/i),
  });
});

test('a test has the environment of others, whatever the shell has', () => {
  const shell = {
    ...process.env,
    AWS_PROFILE: 'work',
    AWS_REGION: 'eu-west-3',
    COLUMNS: '20',
    FORCE_COLOR: '1',
    HTTP_PROXY: 'http://127.0.0.1:1',
    LANG: 'tr_TR.UTF-8',
    LC_ALL: 'tr_TR.UTF-8',
    NODE_USE_ENV_PROXY: '1',
    PORT: '1',
    TZ: 'Pacific/Chatham',
    no_proxy: '127.0.0.1',
  };
  const same = ['test/support/jest/environment', '-t', 'a test and the programs', '--json'];
  const { stdout } = spawnSync(process.execPath, [...jest, ...same], {
    env: shell,
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 1, success: true });
});
