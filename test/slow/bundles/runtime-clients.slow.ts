import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { withoutAwsFiles } from '../../../lib/local/away-from-aws.ts';
import { makeToken } from '../../../lib/tokens/make-token.ts';
import { bundleFunctions } from '../../support/bundles.ts';
import { requireOfCi } from '../../support/checkout.ts';
import { temporaryCredentials } from '../../support/database/proxy.ts';
import { startProgram } from '../../support/program.ts';
import { tokenEvent } from '../../support/service/proxy-event.ts';

// AWS does not document which version of its client nodejs24.x contains.

const bundles = bundleFunctions();

/** Calls the bundled authorizer through a runtime client. Returns the error and the log codes. */
async function callAuthorizer(program: string, authorizationToken: string) {
  const { folder, variables } = bundles.Authorizer;
  const loader = new URL('runtime-client.mjs', import.meta.url).href;
  const args = ['--import', loader, program, 'start.handler'];
  const { child, waitFor, ended } = startProgram(process.execPath, args, {
    cwd: folder,
    env: {
      ...variables,
      ...withoutAwsFiles,
      ...temporaryCredentials,
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9',
      AWS_LAMBDA_FUNCTION_NAME: 'Authorizer',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
      AWS_LAMBDA_FUNCTION_VERSION: '1',
      AWS_LAMBDA_LOG_GROUP_NAME: 'logs',
      AWS_LAMBDA_LOG_STREAM_NAME: 'stream',
      AWS_LAMBDA_LOG_FORMAT: 'JSON',
      AWS_LAMBDA_RUNTIME_API: '127.0.0.1:9',
      LAMBDA_TASK_ROOT: folder,
      NODE_OPTIONS: '',
      _HANDLER: 'start.handler',
      EVENT: JSON.stringify(tokenEvent(authorizationToken)),
    },
  });
  const [result] = await waitFor('the result', once(child, 'message'));
  const { stdout } = await ended();
  // As the metric filter reads the lines.
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  const codes = lines.flatMap((line) => JSON.parse(line).message?.code ?? []);
  return { message: result.error.errorMessage, codes };
}

test.each([
  { name: 'aws-lambda-ric-3', program: 'bin/index.mjs' },
  { name: 'aws-lambda-ric-4', program: 'index.mjs' },
])('$name reports Unauthorized (401) for a refused token only', async ({ name, program }) => {
  const path = join(requireOfCi.resolve(`${name}/package.json`), '..', program);
  expect(await callAuthorizer(path, 'Bearer x')).toEqual({
    message: 'Unauthorized',
    codes: ['TOKEN_REFUSED'],
  });
  expect(await callAuthorizer(path, `Bearer ${makeToken().token}`)).toEqual({
    message: 'The access token could not be checked.',
    codes: ['AUTHORIZER_FAILED'],
  });
});
