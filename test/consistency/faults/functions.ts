import { createHash } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { authorizer, operations } from '../../../functions/shared/operations.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { functionVariables, startFunctions } from '../../../lib/local/runtime/functions.ts';
import { forge } from '../../support/access-tokens/forge.ts';
import { certificateFiles } from '../../support/certificate.ts';
import { finallyDo } from '../../support/cleanup.ts';
import { openDatabase } from '../../support/database/engine.ts';
import {
  type HandshakeFault,
  startFaultProxy,
  temporaryCredentials,
} from '../../support/database/proxy.ts';
import { operationEvent } from '../../support/service/operation-event.ts';
import { tokenEvent } from '../../support/service/proxy-event.ts';
import type { FunctionName } from './actions.ts';
import { clock } from './slow-faults.ts';

/** The engine behind the proxy. */
export const { endpoint, database } = await openDatabase();

/** The faults of the next handshakes with the proxy. */
export const handshakes: HandshakeFault[] = [];
export const proxy = await startFaultProxy(handshakes);

/** Output of the functions beside their log. */
export const printed: string[] = [];
const functions = startFunctions({
  variables: {
    ...functionVariables(proxy.before(endpoint)),
    ...temporaryCredentials,
    ...clock.variables,
    NODE_EXTRA_CA_CERTS: certificateFiles.certificate,
    NODE_OPTIONS: `${clock.variables.NODE_OPTIONS} --import=${new URL('trust.mjs', import.meta.url).href}`,
  },
  onOutput: (text) => printed.push(text),
  onError: (error) => process.stderr.write(`${error.stack}`),
});
finallyDo(functions.stop);
await functions.loaded;

/** Calls a function. If the authorizer fails, the gateway returns 503, or 401 for Unauthorized. */
export async function invoke(call: FunctionName, event: object) {
  const { entry } = { ...operations, authorizer }[call];
  const { payload, failure, log } = await functions.call(entry, event);
  if (failure) {
    const status = call === 'authorizer' && failure.message === 'Unauthorized' ? 401 : 503;
    return { status, body: failure.message, log };
  }
  const { statusCode: status = 200, body = '' } = JSON.parse(`${payload}`);
  return { status, body, log };
}

/**
 * Returns the event of a call about a subject: an owner, or the id of an access token, which is
 * stored before.
 */
export async function makeEvent(call: FunctionName, subject: string): Promise<object> {
  return call === 'authorizer'
    ? tokenEvent(`Bearer ${await storeToken(subject)}`)
    : operationEvent(call, { authorizer: { owner: subject } });
}

async function storeToken(id: string): Promise<string> {
  const token = forge(id);
  const digest = createHash('sha256').update(token).digest();
  const record = { id, digest, owner: 'alice', scopes: ['plants:read'], label: '', created: 1 };
  await database.send(new PutCommand({ TableName: tableIds.accessTokens, Item: record }));
  return token;
}
