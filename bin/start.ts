import { mkdtempSync } from 'node:fs';
import inspector from 'node:inspector';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { environment } from '../functions/shared/environment-variables.ts';
import { assemble } from '../lib/offline/assembly.ts';
import { createTables } from '../lib/offline/database/create-tables.ts';
import { startEmulator } from '../lib/offline/emulator.ts';
import { inUrl } from '../lib/offline/http/listen.ts';
import { defaultConcurrency } from '../lib/offline/lambda/function-pool.ts';
import { readTemplate, type Template } from '../lib/offline/template/template.ts';
import { settingKey } from '../lib/setting-facts.ts';
import { example } from './command-line/example.ts';
import { lifecycle, type Start } from './command-line/lifecycle.ts';
import { announce } from './command-line/running.ts';
import { demoToken, openDatabase } from './offline/local-database.ts';
import { type LocalOptions, parseOptions } from './offline/local-options.ts';
import { printReady, progress, type Ready } from './offline/local-output.ts';
import { openWorkFolder } from './offline/work-folder.ts';
import { costTable } from './start/cost-table.ts';
import { apiReference, referencePath } from './start/reference/reference.ts';
import { requestLog } from './start/request-log.ts';

interface Options extends LocalOptions {
  dynamodbHost: string;
  watch?: true;
  lambdaLog?: true;
}

function host(text: string): string {
  // URLs have an IPv6 address in brackets.
  const address = text.replace(/^\[(.*)\]$/, '$1');
  if (!URL.canParse(`http://${inUrl(address)}`)) {
    throw new InvalidArgumentError('An address looks like 127.0.0.1 or ::1.');
  }
  return address;
}

const program = new Command('npm start --')
  .description(
    'Runs the plant store on this machine: the stack that would be deployed, and a database.',
  )
  .option(
    '--dynamodb-host <address>',
    'address of this machine that the database listens on',
    host,
    '127.0.0.1',
  )
  .option('--watch', 'serve changed functions and settings at once')
  .option('--inspect [host:port]', 'listen for a debugger, by default on 127.0.0.1:9229')
  .option('--inspect-brk [host:port]', 'the same, and wait for the debugger before all else')
  .option('--lambda-log', "print Lambda's own log lines too")
  .addHelpText('after', example('npm start -- --watch --port 3110'));
parseOptions(program);

/** Lets stacks point to the functions' TypeScript. */
const context = { [settingKey('source-maps')]: 'linked' };
// Lambda's time zone.
process.env.TZ = 'UTC';

await lifecycle((start) => run(program.opts(), start));

async function run(options: Options, start: Start): Promise<void> {
  // The launcher gives the options of the debugger to Node.
  const isDebugged = inspector.url() !== undefined;
  if (!isDebugged && process.execArgv.some((option) => option.startsWith('--inspect'))) {
    throw new Error('The debugger cannot listen there. Choose another port, like --inspect=9230.');
  }
  const requests = requestLog(console.error, { verbose: options.lambdaLog });
  const work = await start(openWorkFolder);
  const newFolder = () => mkdtempSync(join(work.path, 'assembly-'));
  const assembly = newFolder();
  const [sources, database] = await Promise.all([
    progress('Synthesizing the stack and bundling its functions', assemble(assembly, context)),
    start(() =>
      openDatabase(options, {
        host: options.dynamodbHost,
        onCall: requests.call,
        onRefusal: console.error,
      }),
    ),
  ]);
  const dynamodbEndpoint = database.endpoint;
  const template = readTemplate(assembly);
  let leftOut = '';
  function enforce(served: Template): void {
    database.enforce(served);
    const text = served.leftOut.join('; ');
    if (text !== '' && text !== leftOut) {
      console.error(`Not imitated here: ${text}. See docs/imitates.md.`);
    }
    leftOut = text;
  }
  enforce(template);
  const makeTables = () => createTables(template, dynamodbEndpoint);
  await progress('Making the tables', database.exclusively(makeTables));

  async function tellCosts(): Promise<void> {
    if (requests.totals.size > 0) {
      console.error(costTable(requests.totals));
    }
  }
  await start(() => ({ stop: tellCosts }));
  const token = await demoToken(dynamodbEndpoint, 'npm start');
  const emulator = await start(() =>
    startEmulator({
      assembly,
      port: options.port,
      dynamodbEndpoint,
      log: requests.log,
      onRequest: requests.request,
      // More would only use memory.
      concurrency: Math.min(defaultConcurrency, availableParallelism()),
      prewarm: !isDebugged,
      isDebugged,
      ...(isDebugged && { variables: { [environment.withoutWarmUp]: 'true' } }),
      intercept: apiReference(token),
    }),
  );
  if (options.watch) {
    // Loaded only here, because it is native code.
    const { watchSources } = await import('./start/watch.ts');
    await start(() =>
      watchSources({ assembly, sources }, newFolder, context, async (changed, code) => {
        const next = readTemplate(changed);
        await database.exclusively(() => createTables(next, dynamodbEndpoint));
        emulator.replace(changed, code);
        enforce(next);
      }),
    );
  }

  const ready: Ready = { baseUrl: emulator.baseUrl, token, dynamodbEndpoint };
  if (!options.memory) {
    await start(() => announce(options.data, ready));
  }
  ready.reference = new URL(referencePath, emulator.baseUrl).href;
  printReady(ready, options, 'Each request follows on a line of its own.');
}
