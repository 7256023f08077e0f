import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import inspector from 'node:inspector';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { stageName } from '../../functions/shared/operations.ts';
import { readSettings } from '../stack/settings.ts';
import { issueDemoToken } from './demo-token.ts';
import { gateway } from './gateway/gateway.ts';
import { formatRequest } from './gateway/request-log.ts';
import { catchErrors, listen } from './listen.ts';
import { openDatabase } from './open-database.ts';
import type { DebuggerAddress, StartOptions } from './options.ts';
import { printReady } from './ready.ts';
import { isOfReference, reference, referencePath } from './reference/reference.ts';
import { functionVariables, noTimeout, startFunctions } from './runtime/functions.ts';
import { watchFunctions } from './runtime/watch.ts';

// An import of node:http would load Node's fetch too: 30 ms of each start.
const { createServer } = process.getBuiltinModule('node:http');
const root = join(import.meta.dirname, '..', '..');

/** Starts the plant store. Rejects with one line for people. */
export async function start(options: StartOptions): Promise<void> {
  if (options.inspect) {
    openDebugger(options.inspect);
  }
  const { corsOrigin, cacheSeconds } = readGatewaySettings();
  const { endpoint, createTables } = await openDatabase(options, options.dynamodbHost);
  // The thread loads the functions while this one creates the tables and the token.
  const functions = startFunctions({
    variables: functionVariables(endpoint, corsOrigin),
    // An editor may have started the debugger.
    timeoutMs: inspector.url() === undefined ? undefined : noTimeout,
    onOutput: (text) => console.error(text.replace(/\n$/, '')),
    onError: (error) => console.error(`The functions failed: ${error.stack}`),
  });
  await createTables();
  const token = await issueDemoToken(endpoint, 'npm start');
  const api = gateway({
    call: functions.call,
    corsOrigin,
    cacheSeconds,
    onResponse: (handled) => console.error(formatRequest(handled)),
  });
  const docs = reference(token);
  const serve: RequestListener = (request, response) => {
    const listener = isOfReference(`${request.url}`) ? docs : api.listener;
    listener(request, response);
  };
  const origin = await listen(createServer(catchErrors(serve)), options.port);
  if (options.watch) {
    await watchFunctions(() => {
      functions.reload();
      api.forgetPolicies();
    });
  } else {
    await functions.loaded;
  }
  const ready = { baseUrl: `${origin}/${stageName}`, token, dynamodbEndpoint: endpoint };
  printReady(ready, options, 'Requests are logged below.', `${origin}${referencePath}`);
  // Ctrl-C would stop the process before Node caches its code.
  flushCompileCache();
}

function readGatewaySettings(): { corsOrigin: string | undefined; cacheSeconds: number } {
  const { context, ...others } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8'));
  const settings = readSettings(context, Object.keys(others));
  return { corsOrigin: settings['cors-origin'], cacheSeconds: settings['authorizer-cache'] };
}

/** Makes Node listen for a debugger. Node itself prints the address, or why it cannot be used. */
function openDebugger({ host, port }: DebuggerAddress): void {
  inspector.open(port, host);
  if (inspector.url() === undefined) {
    throw new Error(`No debugger can use ${host}:${port}. Choose another address with --inspect.`);
  }
}
