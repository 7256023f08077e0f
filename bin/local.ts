import { mkdtempSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { type Emulator, startEmulator } from '../lib/emulator/emulator.ts';
import { readTemplate } from '../lib/emulator/template/template.ts';
import { createTables } from '../lib/local/create-tables.ts';
import { type Database, startDatabase } from '../lib/local/database.ts';
import { synthesizeAside } from '../lib/local/synthesize-in-worker.ts';
import { demoToken } from './local/demo-token.ts';
import { type LocalOptions, localOptions } from './local/options.ts';
import { onceOrphaned } from './local/orphaned.ts';
import { readableLog, readyText } from './local/output.ts';
import { progress } from './local/progress.ts';

interface Options extends LocalOptions {
  dynamodbHost: string;
  watch?: true;
}

const program = new Command('npm start --').description(
  'Runs the plant store on this machine: the stack that would be deployed, and a database.',
);
for (const option of localOptions) program.addOption(option);
program
  .option(
    '--dynamodb-host <address>',
    'address of this machine that the database listens on',
    '127.0.0.1',
  )
  .option('--watch', 'go over to changed functions at once')
  .parse();

/** What has to end, in the order it was started. */
const running: { stop(): Promise<void> }[] = [];
const assemblies = mkdtempSync(join(tmpdir(), 'plant-store-'));
process.on('exit', () => rmSync(assemblies, { recursive: true, force: true }));
let ending: Promise<void> | undefined;
// A terminal's Ctrl-C arrives twice, once from npm: what comes after the first changes nothing.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => void end(0));
onceOrphaned(() => void end(0));
// Lambda's time zone.
process.env.TZ = 'UTC';

function end(exitCode: number): Promise<void> {
  ending ??= (async () => {
    for (const part of running.reverse()) await part.stop();
    process.exit(exitCode);
  })();
  return ending;
}

try {
  await start(program.opts());
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : error}`);
  await end(1);
}

async function start(options: Options): Promise<void> {
  const data = options.memory ? {} : { data: options.data };
  const [assembly, database] = await Promise.all([
    progress(
      'Synthesizing the stack and bundling its functions',
      synthesizeAside(join(assemblies, '0')),
    ),
    progress(
      'Opening the database',
      startDatabase({ ...data, port: options.dynamodbPort, host: options.dynamodbHost }),
    ).then((opened) => {
      running.push(opened);
      return opened;
    }),
  ]);
  const dynamodbEndpoint = database.endpoint;
  const template = readTemplate(assembly);
  database.enforce(template);
  await progress('Making the tables', createTables(template, dynamodbEndpoint));

  const log = (functionName: string, line: string) => {
    const text = readableLog(functionName, line);
    if (text !== undefined) console.error(text);
  };
  const emulator = await startEmulator({ assembly, port: options.port, dynamodbEndpoint, log });
  running.push(emulator);
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
      const assembly = await synthesizeAside(join(assemblies, String(count)));
      database.enforce(readTemplate(assembly));
      emulator.replace(assembly);
      console.error('The functions have changed: new requests meet the new ones.');
    } catch (error) {
      console.error(
        `The functions stay as they were: ${error instanceof Error ? error.message : error}`,
      );
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
