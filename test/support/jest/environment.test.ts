import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

const shell = {
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
  no_proxy: 'x',
};

test.each([
  ['a program that a test starts has', [], {}],
  [
    'a test in any shell has',
    ['--import', new URL('environment.mjs', import.meta.url).href],
    shell,
  ],
])('%s the one environment, without colours and accounts', (_, options, variables) => {
  const program = [...options, '-p', 'JSON.stringify([process.env, new Date(2026, 0)])'];
  const env = { ...process.env, ...variables };
  const [given, time] = JSON.parse(
    // Node warns on stderr of a variable for colours and one against them.
    execFileSync(process.execPath, program, { env, encoding: 'utf8', stdio: 'pipe' }),
  );
  expect(given).toEqual({ ...process.env });
  expect(time).toBe('2026-01-01T00:00:00.000Z');
  expect([given.LANG, given.NO_COLOR]).toEqual(['C.UTF-8', '1']);
  expect(Object.keys(given).filter((name) => name.startsWith('AWS_'))).toHaveLength(3);
});
