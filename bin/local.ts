import { mkdtempSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { type Emulator, startEmulator } from '../lib/emulator/emulator.ts';
import { readTemplate } from '../lib/emulator/template/template.ts';
import { createTables } from '../lib/local/create-tables.ts';
import { type Database, startDatabase } from '../lib/local/database.ts';
import { synthesizeInWorker } from '../lib/local/synthesize-in-worker.ts';
import { checkPort } from './local/check-port.ts';
import { demoToken } from './local/demo-token.ts';
import { lifecycle, messageOf, type Start } from './local/lifecycle.ts';
import { type LocalOptions, parseOptions } from './local/options.ts';
import { readableLog, readyText } from './local/output.ts';
import { progress } from './local/progress.ts';

interface Options extends LocalOptions {
  dynamodbHost: string;
  watch?: true;
}

const program = new Command('npm start --')
  .description(
    'Runs the plant store on this machine: the stack that would be deployed, and a database.',
  )
  .option(
    '--dynamodb-host <address>',
    'address of this machine that the database listens on',
    '127.0.0.1',
  )
  .option('--watch', 'go over to changed functions at once');
parseOptions(program);

const assemblies = mkdtempSync(join(tmpdir(), 'plant-store-'));
process.on('exit', () => rmSync(assemblies, { recursive: true, force: true }));
// Lambda's time zone.
process.env.TZ = 'UTC';

await lifecycle((start) => run(program.opts(), start));

async function run(options: Options, start: Start): Promise<void> {
  await checkPort('--port', options.port, '127.0.0.1');
  await checkPort('--dynamodb-port', options.dynamodbPort, options.dynamodbHost);

  const [assembly, database] = await Promise.all([
    progress(
      'Synthesizing the stack and bundling its functions',
      synthesizeInWorker(join(assemblies, '0')),
    ),
    start(() =>
      progress(
        'Opening the database',
        startDatabase({
          ...(!options.memory && { data: options.data }),
          port: options.dynamodbPort,
          host: options.dynamodbHost,
        }),
      ),
    ),
  ]);
  const dynamodbEndpoint = database.endpoint;
  const template = readTemplate(assembly);
  database.enforce(template);
  await progress('Making the tables', createTables(template, dynamodbEndpoint));

  const log = (functionName: string, line: string) => {
    const text = readableLog(functionName, line);
    if (text !== undefined) console.error(text);
  };
  const emulator = await start(() =>
    startEmulator({ assembly, port: options.port, dynamodbEndpoint, log }),
  );
  if (options.watch) watchFunctions(emulator, database);

  const ready = {
    baseUrl: emulator.baseUrl,
    token: await demoToken(dynamodbEndpoint, 'npm start'),
    dynamodbEndpoint,
  };
  console.log(
    options.json
      ? JSON.stringify(ready)
      : readyText(ready, options.memory ? 'in memory' : `in ${options.data}`),
  );
}

/** Rebuilds when a function's source changes, and keeps the old functions where that fails. */
function watchFunctions(emulator: Emulator, database: Database): void {
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  let building = Promise.resolve();
  const rebuild = async () => {
    count += 1;
    try {
      const assembly = await synthesizeInWorker(join(assemblies, String(count)));
      database.enforce(readTemplate(assembly));
      emulator.replace(assembly);
      console.error('The functions have changed: new requests meet the new ones.');
    } catch (error) {
      console.error(`The functions stay as they were: ${messageOf(error)}`);
    }
  };
  watch(join(import.meta.dirname, '..', 'functions'), { recursive: true }, () => {
    clearTimeout(timer);
    // An editor writes a file in several steps.
    timer = setTimeout(() => {
      building = building.then(rebuild);
    }, 100);
  });
}
