import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import inspector from 'node:inspector';
import { flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { stageName } from '../functions/shared/operations.ts';
import { leaveAws } from '../lib/local/away-from-aws.ts';
import { gateway } from '../lib/local/gateway/gateway.ts';
import { formatRequest } from '../lib/local/gateway/request-log.ts';
import { catchErrors, listen } from '../lib/local/listen.ts';
import { type DebuggerAddress, newStartProgram, type StartOptions } from '../lib/local/options.ts';
import { issueDemoToken, openDatabase, parseArguments, printReady } from '../lib/local/ready.ts';
import { isOfReference, reference, referencePath } from '../lib/local/reference/reference.ts';
import { announce, instancePath } from '../lib/local/running.ts';
import { functionVariables, noTimeout, startFunctions } from '../lib/local/runtime/functions.ts';
import { readSettings } from '../lib/stack/settings.ts';

// Signals stop the process at once: there is nothing to clean up, because the database has written
// all that it acknowledged. This process also stops if its launcher is killed.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
leaveAws();
// Lambda's time zone.
process.env.TZ = 'UTC';

try {
  await start(parseArguments(newStartProgram()).opts());
} catch (error) {
  console.error(`error: ${(error as Error).message}`);
  process.exit(1);
}

async function start(options: StartOptions): Promise<void> {
  if (options.inspect) {
    openDebugger(options.inspect);
  }
  const { corsOrigin, cacheSeconds } = readGatewaySettings();
  const serving = Promise.withResolvers<RequestListener>();
  // Requests that arrive early wait.
  const server = createServer(async (request, response) => {
    const listener = await serving.promise;
    listener(request, response);
  });
  const [{ endpoint }, origin] = await Promise.all([
    openDatabase(options, options.dynamodbHost),
    listen(server, options.port),
  ]);
  const functions = startFunctions({
    variables: functionVariables(endpoint, corsOrigin),
    // An editor may have started the debugger.
    timeoutMs: inspector.url() === undefined ? undefined : noTimeout,
    onOutput: (text) => console.error(text.replace(/\n$/, '')),
    onError: (error) => console.error(`The functions failed: ${error.stack}`),
  });
  const token = await issueDemoToken(endpoint, 'npm start');
  const api = gateway({
    call: functions.call,
    corsOrigin,
    cacheSeconds,
    onResponse: (handled) => console.error(formatRequest(handled)),
  });
  const docs = reference(token);
  const instance = randomUUID();
  serving.resolve(
    catchErrors((request, response) => {
      const { url = '' } = request;
      if (url === instancePath) {
        response.end(instance);
      } else if (isOfReference(url)) {
        docs(request, response);
      } else {
        api.listener(request, response);
      }
    }),
  );
  if (options.watch) {
    await watchFunctions(() => {
      functions.reload();
      api.forgetPolicies();
    });
  } else {
    await functions.loaded;
  }

  const ready = { baseUrl: `${origin}/${stageName}`, token, dynamodbEndpoint: endpoint };
  const { baseUrl, dynamodbEndpoint } = ready;
  try {
    const data = options.memory ? {} : { data: resolve(options.data) };
    announce({ instance, processId: process.pid, baseUrl, dynamodbEndpoint, ...data });
  } catch (error) {
    console.error(
      `Other commands cannot find this database (${(error as Error).message}). Use ` +
        `--dynamodb-endpoint ${dynamodbEndpoint} instead of --localhost.`,
    );
  }
  const log = 'Requests are logged below.';
  printReady(ready, options, log, `${origin}${referencePath}`);
  // Ctrl-C would stop the process before Node caches its code.
  flushCompileCache();
}

/** Returns the gateway's settings in cdk.json. */
function readGatewaySettings(): { corsOrigin: string | undefined; cacheSeconds: number } {
  const { context, ...others } = JSON.parse(readFileSync(inProject('cdk.json'), 'utf8'));
  const settings = readSettings(context, Object.keys(others));
  return { corsOrigin: settings['cors-origin'], cacheSeconds: settings['authorizer-cache'] };
}

/** Calls `reload` whenever the functions' code changes. */
async function watchFunctions(reload: () => void): Promise<void> {
  // Node's own recursive watcher loses a file that an editor replaces.
  const { subscribe } = await import('@parcel/watcher');
  const folder = inProject('functions');
  await subscribe(folder, (_, events) => {
    if (events.some(({ type, path }) => type === 'delete' && path === folder)) {
      console.error('functions/ was removed or replaced. Restart npm start to reload its changes.');
    }
    // Editors write other files beside the code.
    const changed = events.filter(({ path }) => path.endsWith('.ts'));
    if (changed.length === 0) {
      return;
    }
    console.error('Functions changed; reloaded.');
    if (changed.some(({ path }) => path.startsWith(join(folder, 'shared')))) {
      console.error(
        'The gateway uses functions/shared too. Restart npm start to apply the change there.',
      );
    }
    reload();
  });
}

/** Makes Node listen for a debugger. Node itself prints the address, or why it cannot be used. */
function openDebugger({ host, port }: DebuggerAddress): void {
  inspector.open(port, host);
  if (inspector.url() === undefined) {
    throw new Error(`No debugger can use ${host}:${port}. Choose another address with --inspect.`);
  }
}

function inProject(path: string): string {
  return join(import.meta.dirname, '..', path);
}
