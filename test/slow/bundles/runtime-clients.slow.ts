import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { makeToken } from '../../../functions/access-tokens/token.ts';
import { functionVariables } from '../../../lib/offline/functions.ts';
import { bundleFunctions } from '../../support/bundles.ts';
import { requireOfCi } from '../../support/checkout.ts';
import { finallyDo } from '../../support/cleanup.ts';
import { eventually } from '../../support/eventually.ts';
import { tokenEvent } from '../../support/service/proxy-event.ts';

// AWS does not document which version of its client nodejs24.x contains.

const bundles = bundleFunctions();

/** Calls the bundled authorizer through a runtime client. Returns the error and the log lines. */
async function callAuthorizer(program: string, authorizationToken: string) {
  const folder = bundles.Authorizer;
  const client = spawn(
    process.execPath,
    ['--import', new URL('runtime-client.mjs', import.meta.url).href, program, 'start.handler'],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: {
        ...functionVariables('http://127.0.0.1:9'),
        AWS_LAMBDA_FUNCTION_NAME: 'Authorizer',
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
        AWS_LAMBDA_FUNCTION_VERSION: '1',
        AWS_LAMBDA_LOG_GROUP_NAME: 'logs',
        AWS_LAMBDA_LOG_STREAM_NAME: 'stream',
        AWS_LAMBDA_LOG_FORMAT: 'JSON',
        AWS_LAMBDA_RUNTIME_API: '127.0.0.1:9',
        LAMBDA_TASK_ROOT: folder,
        _HANDLER: 'start.handler',
        EVENT: JSON.stringify(tokenEvent(authorizationToken)),
      },
    },
  );
  finallyDo(() => client.kill('SIGKILL'));
  const printed = client.stdout?.toArray() ?? [];
  const ended = once(client, 'exit').then(([code]) => {
    throw new Error(`The client exited with ${code}.`);
  });
  const first = Promise.race([once(client, 'message'), ended]);
  const [result] = await eventually('the result of the runtime client', first);
  await ended.catch(() => {});
  const lines = Buffer.concat(await printed)
    .toString()
    .split('\n');
  return { message: result.error.errorMessage, lines };
}

/** Returns the codes in the lines, read as the metric filter reads them. */
function findCodes(lines: string[]): string[] {
  const found = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  return found.flatMap(({ message }) => message?.code ?? []);
}

test.each([
  { name: 'aws-lambda-ric-3', program: 'bin/index.mjs' },
  { name: 'aws-lambda-ric-4', program: 'index.mjs' },
])('$name reports Unauthorized (401) for a refused token only', async ({ name, program }) => {
  const path = join(requireOfCi.resolve(`${name}/package.json`), '..', program);
  const refused = await callAuthorizer(path, 'Bearer x');
  expect(refused.message).toBe('Unauthorized');
  expect(findCodes(refused.lines)).toEqual(['TOKEN_REFUSED']);
  const { token } = makeToken();
  const failed = await callAuthorizer(path, `Bearer ${token}`);
  expect(failed.message).toBe('The access token could not be checked.');
  expect(findCodes(failed.lines)).toEqual(['AUTHORIZER_FAILED']);
});
