import { mkdtempSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Command, InvalidArgumentError, Option } from 'commander';
import { issueToken } from '../functions/access-tokens/administration.ts';
import { allScopes } from '../functions/contract/scopes.ts';
import { startDatabase } from '../lib/local/database.ts';
import { startEmulator } from '../lib/local/emulator.ts';
import { localCredentials } from '../lib/local/execution-environment.ts';
import { synthesizeAside } from '../lib/local/synthesis.ts';
import { createTables } from '../lib/local/tables.ts';
import { readTemplate, region } from '../lib/local/template.ts';
import { readableLog, readyText } from './local/words.ts';

interface Options {
  port: number;
  dynamodbPort: number;
  data: string;
  memory?: true;
  json?: true;
  watch?: true;
}

const port = (text: string): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) throw new InvalidArgumentError('A port is 0 to 65535; 0 is any free one.');
  return Number(text);
};

const program = new Command('npm start --')
  .description('Runs the plant store on this machine: the stack that would be deployed, and a database.')
  .addOption(new Option('--port <n>', 'of the API').argParser(port).env('PORT').default(3000))
  .addOption(new Option('--dynamodb-port <n>', 'of the database').argParser(port).default(8000))
  .addOption(new Option('--data <folder>', 'where the database keeps its data').default('.plant-store'))
  .addOption(new Option('--memory', 'keep nothing').conflicts('data'))
  .option('--json', 'when ready, print one line of JSON: baseUrl, token, dynamodbEndpoint')
  .option('--watch', 'go over to changed functions at once')
  .parse();

/** What has to end, in the order it was started. */
const running: { stop(): Promise<void> }[] = [];
const assemblies = mkdtempSync(join(tmpdir(), 'plant-store-'));
process.on('exit', () => rmSync(assemblies, { recursive: true, force: true }));
// A second signal does not wait.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end(0));
// Lambda's time zone.
process.env.TZ = 'UTC';

async function end(exitCode: number): Promise<void> {
  for (const part of running.splice(0).reverse()) await part.stop();
  process.exit(exitCode);
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
    progress('Synthesizing the stack and bundling its functions', synthesizeAside(join(assemblies, '0'))),
    progress('Opening the database', startDatabase({ ...data, port: options.dynamodbPort })).then((opened) => {
      running.push(opened);
      return opened;
    }),
  ]);
  const dynamodbEndpoint = database.endpoint;
  await progress('Making the tables', createTables(readTemplate(assembly), dynamodbEndpoint));

  const log = (functionName: string, line: string) => {
    const text = readableLog(functionName, line);
    if (text !== undefined) console.error(text);
  };
  const emulator = await startEmulator({ assembly, port: options.port, dynamodbEndpoint, log });
  running.push(emulator);
  if (options.watch) watchFunctions(emulator);

  const ready = { baseUrl: emulator.baseUrl, token: await demoToken(dynamodbEndpoint), dynamodbEndpoint };
  console.log(options.json ? JSON.stringify(ready) : readyText(ready, options.memory ? 'in memory' : `in ${options.data}`));
}

/** Says what is going on where it takes more than a second. */
async function progress<T>(what: string, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => console.error(`${what} …`), 1000);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

async function demoToken(endpoint: string): Promise<string> {
  const client = new DynamoDBClient({ endpoint, region: region(), credentials: localCredentials });
  const inADay = Math.floor(Date.now() / 1000) + 24 * 60 * 60;
  const grant = { owner: 'demo', scopes: allScopes, label: 'npm start', expires: inADay };
  try {
    // Locally a table's name is its logical id.
    const { token } = await issueToken(DynamoDBDocumentClient.from(client), 'AccessTokens', grant);
    return token;
  } finally {
    client.destroy();
  }
}

/** Rebuilds when a function's source changes, and keeps the old functions where that fails. */
function watchFunctions(emulator: { replace(assembly: string): void }): void {
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  let building = Promise.resolve();
  const rebuild = async () => {
    count += 1;
    try {
      emulator.replace(await synthesizeAside(join(assemblies, String(count))));
      console.error('The functions have changed: new requests meet the new ones.');
    } catch (error) {
      console.error(`The functions stay as they were: ${error instanceof Error ? error.message : error}`);
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
