import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { startEmulator } from '../lib/emulator/emulator.ts';
import { readTemplate } from '../lib/emulator/template/template.ts';
import { assemble } from '../lib/local/assembly.ts';
import { createTables } from '../lib/local/create-tables.ts';
import { startDatabase } from '../lib/local/database.ts';
import { apiReference, referencePath } from '../lib/local/reference/reference.ts';
import { checkPort } from './local/check-port.ts';
import { demoToken } from './local/demo-token.ts';
import { lifecycle, type Start } from './local/lifecycle.ts';
import { type LocalOptions, parseOptions } from './local/options.ts';
import { readableLog, readyText } from './local/output.ts';
import { progress } from './local/progress.ts';
import { announce } from './local/running.ts';

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
  .option('--watch', 'serve changed functions and settings at once');
parseOptions(program);

const assemblies = mkdtempSync(join(tmpdir(), 'plant-store-'));
process.on('exit', () => rmSync(assemblies, { recursive: true, force: true }));
const newFolder = () => mkdtempSync(join(assemblies, 'assembly-'));
// Lambda's time zone.
process.env.TZ = 'UTC';

await lifecycle((start) => run(program.opts(), start));

async function run(options: Options, start: Start): Promise<void> {
  await checkPort('--port', options.port, '127.0.0.1');
  await checkPort('--dynamodb-port', options.dynamodbPort, options.dynamodbHost);

  const assembly = newFolder();
  const [digest, database] = await Promise.all([
    progress('Synthesizing the stack and bundling its functions', assemble(assembly)),
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
  const token = await demoToken(dynamodbEndpoint, 'npm start');
  const front = apiReference(token);
  const emulator = await start(() =>
    startEmulator({ assembly, port: options.port, dynamodbEndpoint, log, front }),
  );
  if (options.watch) {
    // Loaded only here, because it is native code.
    const { watchSources } = await import('./local/watch.ts');
    await start(() =>
      watchSources(digest, newFolder, (changed) => {
        database.enforce(readTemplate(changed));
        emulator.replace(changed);
      }),
    );
  }

  const ready = {
    baseUrl: emulator.baseUrl,
    token,
    dynamodbEndpoint,
  };
  if (!options.memory) await start(() => announce(options.data, ready));
  const reference = new URL(referencePath, emulator.baseUrl).href;
  console.log(
    options.json
      ? JSON.stringify(ready)
      : readyText(ready, options.memory ? 'in memory' : `in ${options.data}`, reference),
  );
}
