import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { testOnPosix } from '../../support/posix.ts';
import { startProgram } from '../../support/program.ts';

const launcher = ['bin/node24.mjs', 'bin/start.ts'];

testOnPosix('it has no sh of its own')('the printed curl commands work', async () => {
  const args = [...launcher, '--memory', '--port', '0', '--dynamodb-port', '0'];
  const program = startProgram(process.execPath, args);
  await program.line(/^Press Ctrl-C to stop/);
  const curls = program.lines.filter((line) => line.startsWith('  curl '));
  const paste = (line: string) =>
    `${spawnSync('sh', ['-c', `${line} -s -o /dev/null -w '%{http_code}'`]).stdout}`;
  expect(curls.map(paste)).toEqual(['201', '200', '204']);
});

test.each([
  ['--port x', "error: option '--port <n>' argument 'x' is invalid. A port is 0 to 65535"],
  ['--dynamodb-host x', "error: option '--dynamodb-host <address>' argument 'x' is invalid. An "],
  ['--colour', "error: unknown option '--colour'"],
])('%s fails with one line', async (options, message) => {
  const program = startProgram(process.execPath, [...launcher, ...options.split(' ')]);
  const { code, stderr } = await program.ended();
  expect({ code, lines: stderr.split('\n').length - 1 }).toEqual({ code: 1, lines: 1 });
  expect(stderr).toContain(message);
});

test('an option that npm consumed fails with one line', async () => {
  const env = { ...process.env, npm_lifecycle_event: 'start', npm_config_port: '3110' };
  const program = startProgram(process.execPath, launcher, { env });
  const { code, stderr } = await program.ended();
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'error: npm consumed --port. Put "--" before the options: npm start -- …\n',
  });
});
