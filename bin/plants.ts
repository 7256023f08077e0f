import { pipeline } from 'node:stream/promises';
import {
  type DynamoDBDocumentClient,
  type NumberValue,
  QueryCommand,
  type QueryCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { Option } from 'commander';
import { validate } from '../functions/http/input.ts';
import { type JsonObject, parseJsonObject } from '../functions/http/json.ts';
import { newPlant, type Plant, parsePlant } from '../functions/plants/plant.ts';
import { type PlantStore, plantStore } from '../functions/plants/store.ts';
import { maxBodyBytes } from '../functions/shared/operations.ts';
import { explain } from '../lib/administration/explain.ts';
import { type Line, openInput, readFirstLine, readLines } from '../lib/administration/lines.ts';
import { writeNewFile } from '../lib/administration/new-file.ts';
import { parseOwner } from '../lib/administration/owner.ts';
import { formatExample, newProgram, runCommand } from '../lib/administration/program.ts';
import {
  clearProgress,
  formatCount,
  onInterrupt,
  showProgress,
} from '../lib/administration/progress.ts';
import { openTarget, type Target, type TargetOptions } from '../lib/administration/target.ts';
import { retryWhileThrottled, writeAll } from '../lib/administration/write-all.ts';
import { CommandError } from '../lib/command-line/command-error.ts';
import { escapeControls } from '../lib/command-line/escape-controls.ts';
import { resolvePath } from '../lib/command-line/paths.ts';
import { deleteToken, listTokens } from '../lib/tokens/tokens.ts';

type Options = TargetOptions & { owner: string };

/** Runs the command in the process's arguments. Returns the exit code. */
export function plantsProgram(): Promise<number> {
  const program = newProgram('npm run -s plants --').description(
    "Exports, imports and erases an owner's plants, directly in the table. For administrators.",
  );

  program
    .command('export')
    .description(
      'Writes the plants with their ids, one line of JSON each, in ascending order of ids.',
    )
    .argument('<file>', 'the file to create, or - for stdout')
    .action(exportPlants)
    .addHelpText(
      'after',
      formatExample('npm run -s plants -- export --owner alice --stack PlantStore plants.jsonl'),
    );

  program
    .command('import')
    .description('Creates the plants of an export. Existing plants stay as they are.')
    .argument('<file>', 'the file to read, or - for stdin')
    .action(importPlants)
    .addHelpText(
      'after',
      formatExample('npm run -s plants -- import --owner alice --localhost plants.jsonl'),
    );

  program
    .command('erase')
    .description("Deletes an owner's access tokens and plants permanently. Asks for confirmation.")
    .action(erasePlants)
    .addHelpText('after', formatExample('npm run -s plants -- erase --owner alice --localhost'));

  const owner = new Option('--owner <name>', 'owner of the plants').argParser(parseOwner);
  for (const command of program.commands) {
    command.addOption(owner.makeOptionMandatory());
  }

  return runCommand(program, 'This command takes no tokens.');
}

/** Opens the tables that the options name. */
async function openPlants(options: Options): Promise<Target & { store: PlantStore }> {
  const target = await openTarget(options);
  return { ...target, store: plantStore(target.database, target.tables.plants) };
}

/** Writes an owner's plants to a new file, or to stdout. */
async function exportPlants(file: string, options: Options): Promise<void> {
  const { owner } = options;
  const { database, tables } = await openPlants(options);
  let exported = 0;
  async function* pages(): AsyncGenerator<string> {
    try {
      for await (const page of readPages(database, tables.plants, owner)) {
        yield page.map((item) => formatLine(parsePlant(item))).join('');
        exported += page.length;
        showProgress(`Exporting: ${formatCount(exported, 'plant')}`);
      }
    } catch (error) {
      throw new CommandError(explain(error, options));
    } finally {
      clearProgress();
    }
  }

  if (file === '-') {
    onInterrupt(() => 'The export is incomplete. Repeat the command.');
    await pipeline(pages, process.stdout, { end: false });
  } else {
    await writeNewFile(resolvePath(file), pages());
  }
  console.error(`Exported ${formatCount(exported, 'plant')} of ${owner}.`);
}

/** Yields the stored plants of an owner, page by page, in ascending order of ids. */
async function* readPages(
  database: DynamoDBDocumentClient,
  table: string,
  owner: string,
): AsyncGenerator<Record<string, unknown>[]> {
  let next: Record<string, unknown> | undefined;
  do {
    const query = new QueryCommand({
      TableName: table,
      KeyConditionExpression: '#owner = :owner',
      ExpressionAttributeNames: { '#owner': 'owner' },
      ExpressionAttributeValues: { ':owner': owner },
      ConsistentRead: true,
      ExclusiveStartKey: next,
    });
    const page: QueryCommandOutput = await retryWhileThrottled(() => database.send(query));
    yield page.Items ?? [];
    next = page.LastEvaluatedKey;
  } while (next);
}

/** Returns the body that creates a plant, in one line. */
function formatLine({ id, ...others }: Plant): string {
  return `{"id":${id},${JSON.stringify(others).slice(1)}\n`;
}

/**
 * Creates an owner's plants from lines of JSON, as the API does. Existing plants stay as they are.
 * Invalid lines are reported and skipped.
 */
async function importPlants(file: string, options: Options): Promise<void> {
  const { owner } = options;
  const { store } = await openPlants(options);
  const input = file === '-' ? process.stdin : await openInput(resolvePath(file));
  const done = { created: 0, unchanged: 0, conflict: 0, invalid: 0 };
  const soFar = () => `${formatCount(done.created, 'plant')} created, ${done.unchanged} unchanged`;
  function report(kind: 'conflict' | 'invalid', line: Line, reason: string): void {
    done[kind] += 1;
    if (done.conflict + done.invalid > maxReportedLines) {
      return;
    }
    clearProgress();
    console.error(`line ${line.number}: ${escapeControls(reason)}`);
  }

  async function importLine(line: Line): Promise<void> {
    const read = readPlant(line.text);
    if ('errors' in read) {
      report('invalid', line, read.errors.join('; '));
      return;
    }
    const creation = await store.create(owner, read.plant);
    if (creation === 'conflict') {
      report('conflict', line, `id ${read.plant.id} belongs to a different plant; skipped`);
      return;
    }
    done[creation] += 1;
    showProgress(`Importing: ${soFar()}`);
  }

  await writeAll(options, readLines(input, maxLineLength), importLine, soFar);
  const unreported = done.conflict + done.invalid - maxReportedLines;
  if (unreported > 0) {
    console.error(`Skipped ${formatCount(unreported, 'more line')}.`);
  }
  if (done.conflict + done.invalid > 0) {
    throw new CommandError(`${soFar()}, ${done.conflict} in conflict, ${done.invalid} invalid.`);
  }
  console.error(`Imported for ${owner}: ${soFar()}.`);
}

/** Maximum characters of a line. No valid plant has more. */
const maxLineLength = maxBodyBytes;

/** Maximum invalid lines that are reported one by one. The others are counted. */
const maxReportedLines = 20;

/** Validates a line as the API validates the body of a create. */
function readPlant(line: string): { plant: Plant } | { errors: string[] } {
  if (line.length > maxLineLength) {
    return { errors: [`must have at most ${maxLineLength} characters`] };
  }
  const parsed = parse(line);
  if ('error' in parsed) {
    return { errors: [parsed.error] };
  }
  const { content: plant, errors } = validate(newPlant, parsed.object);
  return errors.length === 0
    ? { plant }
    : { errors: errors.map(({ name, detail }) => `${JSON.stringify(name)} ${detail}`) };
}

function parse(line: string): { object: JsonObject } | { error: string } {
  try {
    // Programs on Windows write a byte order mark before the first line.
    const object = parseJsonObject(line.replace(/^\uFEFF/, ''));
    return object ? { object } : { error: 'must be a JSON object' };
  } catch (error) {
    return { error: `is not well-formed JSON: ${(error as SyntaxError).message}` };
  }
}

/** Permanently deletes an owner's access tokens and plants, after the owner's name was typed. */
async function erasePlants(options: Options): Promise<void> {
  const { owner } = options;
  const { name, database, tables, store } = await openPlants(options);
  // Only the ids are parsed, so that damaged plants are erased too.
  async function* listPlantIds(): AsyncGenerator<bigint> {
    for await (const page of readPages(database, tables.plants, owner)) {
      yield* page.map(({ id }) => (id as NumberValue).toBigInt());
    }
  }
  async function* listTokenIds(): AsyncGenerator<string> {
    const tokens = await listTokens(database, tables.accessTokens, owner);
    // A damaged record without an owner may belong to anyone.
    yield* tokens.filter((token) => token.owner === owner).map(({ id }) => id);
  }

  const countAll = async () => ({
    tokens: await count(listTokenIds()),
    plants: await count(listPlantIds()),
  });

  const found = await countAll();
  console.error(`${owner} has ${describeHolding(found)}.`);
  if (found.tokens + found.plants === 0) {
    return;
  }
  process.stderr.write(`Type "${owner}" to erase them from ${name} permanently: `);
  if ((await readFirstLine()) !== owner) {
    throw new CommandError(
      `The name is not "${owner}". Nothing was erased. Repeat the command to try again.`,
    );
  }

  const erased = { tokens: 0, plants: 0 };
  const soFar = () => `${describeHolding(erased)} erased`;
  async function eraseToken(id: string): Promise<void> {
    await deleteToken(database, tables.accessTokens, id);
    erased.tokens += 1;
  }
  async function erasePlant(id: bigint): Promise<void> {
    await store.remove(owner, id);
    erased.plants += 1;
    showProgress(`Erasing: ${erased.plants} of ${formatCount(found.plants, 'plant')}`);
  }
  // Tokens are erased first, so that their holders cannot create more plants.
  await writeAll(options, listTokenIds(), eraseToken, soFar);
  await writeAll(options, listPlantIds(), erasePlant, soFar);
  const left = await countAll();
  if (left.tokens + left.plants > 0) {
    throw new CommandError(
      `Erased ${describeHolding(erased)} of ${owner}, who has ${describeHolding(left)} again. ` +
        'Repeat the command.',
    );
  }
  console.error(
    `Erased ${describeHolding(erased)} of ${owner}. API Gateway may accept an erased token for up to 60 s, ` +
      'or as long as the setting authorizer-cache says. Repeat the command after that.',
  );
}

async function count(items: AsyncGenerator): Promise<number> {
  let all = 0;
  for await (const _ of items) {
    all += 1;
  }
  return all;
}

const describeHolding = ({ tokens, plants }: { tokens: number; plants: number }): string =>
  `${formatCount(tokens, 'access token')} and ${formatCount(plants, 'plant')}`;

if (import.meta.main) {
  process.exitCode = await plantsProgram();
}
