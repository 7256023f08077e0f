import { randomUUID } from 'node:crypto';
import { linkSync, lstatSync, rmSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import {
  type DynamoDBDocumentClient,
  type NumberValue,
  QueryCommand,
  type QueryCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { isThrottlingError } from '@smithy/core/retry';
import { InvalidArgumentError, Option } from 'commander';
import * as v from 'valibot';
import { protectWrites, RetryStrategy, UnknownOutcome } from '../functions/dynamodb/writes.ts';
import { parseJsonObject } from '../functions/http/json.ts';
import { newPlant, type Plant, parsePlant } from '../functions/plants/plant.ts';
import { type PlantStore, plantStore } from '../functions/plants/store.ts';
import { ownerPattern, ownerRule } from '../functions/shared/access-token.ts';
import { maxBodyBytes } from '../functions/shared/operations.ts';
import { attempts } from '../functions/shared/timeouts.ts';
import { deleteToken, listTokens } from './command-line/access-tokens.ts';
import { CommandError } from './command-line/command-error.ts';
import { example } from './command-line/example.ts';
import { explain } from './command-line/explain.ts';
import { printable } from './command-line/printable.ts';
import { newProgram, readFirstLine, runCommand } from './command-line/program.ts';
import {
  databaseEndpoint,
  openTarget,
  type Target,
  type TargetOptions,
} from './command-line/target.ts';

type Options = TargetOptions & { owner: string };

/** Runs the command that the process was given, and returns its exit code. */
export function plantsProgram(): Promise<number> {
  const program = newProgram('npm run -s plants --').description(
    "Exports, imports and erases an owner's plants. Only an administrator can: it goes to the table.",
  );

  program
    .command('export')
    .description('Writes the plants with their ids, one line of JSON each, in order of the ids.')
    .argument('<file>', 'the file to make, or - for stdout')
    .action(exportPlants)
    .addHelpText(
      'after',
      example('npm run plants -- export --owner alice --stack PlantStore plants.jsonl'),
    );

  program
    .command('import')
    .description('Creates the plants of an export. A plant that is there already stays as it is.')
    .argument('<file>', 'the file to read, or - for stdin')
    .action(importPlants)
    .addHelpText(
      'after',
      example('npm run plants -- import --owner alice --localhost plants.jsonl'),
    );

  program
    .command('erase')
    .description("Deletes an owner's access tokens and plants for good. It asks first.")
    .action(erasePlants)
    .addHelpText('after', example('npm run plants -- erase --owner alice --localhost'));

  const owner = new Option('--owner <name>', 'whose plants').argParser((text) => {
    if (new RegExp(ownerPattern).test(text)) {
      return text;
    }
    throw new InvalidArgumentError(`It is ${ownerRule}`);
  });
  for (const command of program.commands) {
    command.addOption(owner.makeOptionMandatory());
  }

  return runCommand(program, 'This command takes no tokens.');
}

/** Opens the tables that the options name. No write is sent again that may have taken effect. */
async function openPlants(options: Options): Promise<Target & { store: PlantStore }> {
  const target = await openTarget(options, { retryStrategy: new RetryStrategy(attempts) });
  protectWrites(target.database);
  return { ...target, store: plantStore(target.database, target.tables.plants) };
}

/** Returns a path that starts at the folder in which npm was called, which runs us elsewhere. */
const pathOf = (file: string): string => resolve(process.env.INIT_CWD ?? '', file);

/** Writes an owner's plants to a new file, or to stdout. */
async function exportPlants(file: string, options: Options): Promise<void> {
  const { owner } = options;
  const { database, tables } = await openPlants(options);
  let exported = 0;
  async function* pages(): AsyncGenerator<string> {
    try {
      for await (const page of pagesOf(database, tables.plants, owner)) {
        yield page.map((item) => lineOf(parsePlant(item))).join('');
        exported += page.length;
        showProgress(`Exporting: ${counted(exported, 'plant')}`);
      }
    } catch (error) {
      throw new CommandError(explain(error, options));
    } finally {
      clearProgress();
    }
  }

  if (file === '-') {
    onInterrupt(() => 'The export is not complete. Repeat the command.');
    await pipeline(pages, process.stdout, { end: false });
  } else {
    await writeNewFile(pathOf(file), pages());
  }
  console.error(`Exported ${counted(exported, 'plant')} of ${owner}.`);
}

/** Yields what the table holds of an owner, page by page, in the order of the ids. */
async function* pagesOf(
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
    const page: QueryCommandOutput = await whileThrottled(() => database.send(query));
    yield page.Items ?? [];
    next = page.LastEvaluatedKey;
  } while (next);
}

/** Returns a plant as the body of a create, in one line. */
function lineOf({ id, ...others }: Plant): string {
  return `{"id":${id},${JSON.stringify(others).slice(1)}\n`;
}

/**
 * Writes a file that other users cannot open, and that gets its name once it is complete. Follows
 * no link, replaces nothing, and leaves nothing behind if it fails or is interrupted.
 */
async function writeNewFile(name: string, texts: AsyncGenerator<string>): Promise<void> {
  if (lstatSync(name, { throwIfNoEntry: false })) {
    throw new CommandError(`${name} exists: choose another name, or remove it.`);
  }
  const draft = `${name}.${randomUUID()}.part`;
  const removeDraft = () => rmSync(draft, { force: true });
  onInterrupt(() => {
    removeDraft();
    return 'Nothing was written. Repeat the command.';
  });
  try {
    // With `flush`, the content is on the disk before the file gets its name.
    await writeFile(draft, texts, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    removeDraft();
    if (error instanceof CommandError) {
      throw error;
    }
    const { message } = error as Error;
    throw new CommandError(`${name} cannot be written: ${message}. Choose another file.`);
  }
  try {
    // Unlike a renaming, a link replaces nothing.
    linkSync(draft, name);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const what = code === 'EEXIST' ? `${name} exists by now` : message;
    throw new CommandError(`${what}. The export is in ${draft}: move it elsewhere.`);
  }
  removeDraft();
}

/**
 * Creates an owner's plants from lines of JSON, as the API would. A plant that is there already
 * stays as it is. Lines that are not plants are named and passed over.
 */
async function importPlants(file: string, options: Options): Promise<void> {
  const { owner } = options;
  const { store } = await openPlants(options);
  const input = await openInput(file);
  const done = { created: 0, unchanged: 0, conflict: 0, invalid: 0 };
  const soFar = () => `${counted(done.created, 'plant')} created, ${done.unchanged} there already`;
  function report(kind: 'conflict' | 'invalid', line: Line, reason: string): void {
    done[kind] += 1;
    clearProgress();
    console.error(`line ${line.number}: ${printable(reason)}`);
  }

  async function importLine(line: Line): Promise<void> {
    const read = readPlant(line.text);
    if ('faults' in read) {
      report('invalid', line, read.faults.join('; '));
      return;
    }
    const creation = await store.create(owner, read.plant);
    if (creation === 'conflict') {
      report('conflict', line, `another plant has the id ${read.plant.id}; it stays as it is`);
      return;
    }
    done[creation] += 1;
    showProgress(`Importing: ${soFar()}`);
  }

  await writeAll(options, linesOf(input), importLine, soFar);
  if (done.conflict + done.invalid > 0) {
    throw new CommandError(`${soFar()}, ${done.conflict} in conflict, ${done.invalid} invalid.`);
  }
  console.error(`Imported for ${owner}: ${soFar()}.`);
}

interface Line {
  text: string;
  number: number;
}

/** No plant needs more characters. Longer lines are not kept. */
const maxLineLength = maxBodyBytes;

async function openInput(file: string): Promise<Readable> {
  if (file === '-') {
    return process.stdin;
  }
  const handle = await open(pathOf(file)).catch(refuseInput);
  return handle.createReadStream();
}

function refuseInput({ message }: Error): never {
  throw new CommandError(`The file cannot be read: ${message}. Name another one.`);
}

/** Yields the lines of a text, except empty ones. */
async function* linesOf(input: Readable): AsyncGenerator<Line> {
  let number = 0;
  let rest = '';
  try {
    // readline would also end a line at U+2028, which a name can contain.
    for await (const chunk of input.setEncoding('utf8')) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = (lines.pop() ?? '').slice(0, maxLineLength + 1);
      for (const text of lines) {
        number += 1;
        if (text.trim() !== '') {
          yield { text, number };
        }
      }
    }
  } catch (error) {
    refuseInput(error as Error);
  }
  if (rest.trim() !== '') {
    yield { text: rest, number: number + 1 };
  }
}

/** Reads a line as strictly as the API reads the body of a create. */
function readPlant(line: string): { plant: Plant } | { faults: string[] } {
  if (line.length > maxLineLength) {
    return { faults: [`it is longer than ${maxLineLength} characters`] };
  }
  const object = parse(line);
  if (!object) {
    return { faults: ['it is not a JSON object'] };
  }
  const { members, repeated } = object;
  const unknown = Object.keys(members).filter((name) => !Object.hasOwn(newPlant.entries, name));
  const { success, output: plant, issues = [] } = v.safeParse(newPlant, members);
  const faults = [
    ...repeated.map((name) => `${JSON.stringify(name)} must occur only once`),
    ...unknown.map((name) => `${JSON.stringify(name)} is unknown`),
    ...issues.map(({ path, message }) => `${path?.[0]?.key} ${message}`),
  ];
  return success && faults.length === 0 ? { plant } : { faults };
}

function parse(line: string): ReturnType<typeof parseJsonObject> {
  try {
    // Programs of Windows write a byte order mark before the first line.
    return parseJsonObject(line.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** Deletes an owner's access tokens and plants for good, after its name was typed. */
async function erasePlants(options: Options): Promise<void> {
  const { owner } = options;
  const { database, tables, store } = await openPlants(options);
  // It parses nothing but the ids, so that a damaged plant is erased too.
  async function* plantIds(): AsyncGenerator<bigint> {
    for await (const page of pagesOf(database, tables.plants, owner)) {
      yield* page.map(({ id }) => (id as NumberValue).toBigInt());
    }
  }
  async function* tokenIds(): AsyncGenerator<string> {
    for (const token of await listTokens(database, tables.accessTokens, owner)) {
      // A damaged record may belong to anybody.
      if (token.owner === owner) {
        yield token.id;
      }
    }
  }

  const found = { tokens: await count(tokenIds()), plants: await count(plantIds()) };
  const where = options.localhost ? databaseEndpoint(options) : options.stack;
  console.error(`${where}: ${owner} has ${holding(found)}.`);
  if (found.tokens + found.plants === 0) {
    return;
  }
  process.stderr.write(`Type "${owner}" to erase them for good: `);
  if ((await readFirstLine()) !== owner) {
    throw new CommandError(
      `That is not "${owner}", so nothing is erased. Repeat the command to be asked again.`,
    );
  }

  const erased = { tokens: 0, plants: 0 };
  const soFar = () => `${holding(erased)} erased`;
  async function eraseToken(id: string): Promise<void> {
    await deleteToken(database, tables.accessTokens, id);
    erased.tokens += 1;
  }
  async function erasePlant(id: bigint): Promise<void> {
    await store.remove(owner, id);
    erased.plants += 1;
    showProgress(`Erasing: ${erased.plants} of ${counted(found.plants, 'plant')}`);
  }
  // Tokens come first, so that their holders create nothing more.
  await writeAll(options, tokenIds(), eraseToken, soFar);
  await writeAll(options, plantIds(), erasePlant, soFar);
  console.error(
    `Erased ${holding(erased)} of ${owner}. API Gateway may accept a token for up to 60 s more, ` +
      'or for as long as the setting authorizer-cache says. Repeat the command after that.',
  );
}

async function count(items: AsyncGenerator): Promise<number> {
  let all = 0;
  for await (const _ of items) {
    all += 1;
  }
  return all;
}

const holding = ({ tokens, plants }: { tokens: number; plants: number }): string =>
  `${counted(tokens, 'access token')} and ${counted(plants, 'plant')}`;

/** Enough to hide the latency of AWS, and few enough for a table without earlier traffic. */
const concurrency = 32;

/**
 * Writes each item, several at a time. After a failure it takes no further item, waits for the
 * writes in progress, and then throws a CommandError that says how far it came.
 */
async function writeAll<T>(
  options: Options,
  items: AsyncGenerator<T>,
  write: (item: T) => Promise<void>,
  soFar: () => string,
): Promise<void> {
  let inProgress = 0;
  let unknown = 0;
  function state(open: number): string {
    const doubt = open > 0 ? ` Of ${open} more it is unknown whether the write took effect.` : '';
    return `So far: ${soFar()}.${doubt} Repeat the command.`;
  }
  onInterrupt(() => state(inProgress + unknown));

  async function worker(): Promise<void> {
    // Leaving the loop, also by an error, ends the generator for all workers.
    for await (const item of items) {
      inProgress += 1;
      try {
        await whileThrottled(() => write(item));
      } catch (error) {
        unknown += error instanceof UnknownOutcome ? 1 : 0;
        throw error;
      } finally {
        inProgress -= 1;
      }
    }
  }
  const results = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  clearProgress();
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) {
    const { reason } = failure;
    const cause = reason instanceof UnknownOutcome ? reason.cause : reason;
    throw new CommandError(`${explain(cause, options)} ${state(unknown)}`);
  }
}

/** Repeats a call for as long as DynamoDB throttles it, up to half a minute. */
async function whileThrottled<T>(call: () => Promise<T>): Promise<T> {
  for (let pause = 500; ; pause *= 2) {
    try {
      return await call();
    } catch (error) {
      if (!isThrottlingError(error as Parameters<typeof isThrottlingError>[0]) || pause > 16_000) {
        throw error;
      }
      await setTimeout(pause * (0.5 + Math.random() / 2));
    }
  }
}

/** Ends the process at once on Ctrl-C, `kill` and a terminal that closes. Says how things are. */
function onInterrupt(tell: () => string): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.removeAllListeners(signal).on(signal, () => {
      clearProgress();
      console.error(`error: interrupted. ${tell()}`);
      process.exit(1);
    });
  }
}

const eraseLine = '\r\u001B[K';
let shownAt = 0;

/** Shows on a terminal how far a command is, at most ten times a second. */
function showProgress(text: string): void {
  if (process.stderr.isTTY && Date.now() - shownAt >= 100) {
    shownAt = Date.now();
    process.stderr.write(eraseLine + text);
  }
}

/** Makes room on a terminal for what is written next. */
function clearProgress(): void {
  if (process.stderr.isTTY) {
    process.stderr.write(eraseLine);
  }
}

/** Returns a number with its noun, like `1 plant` or `2 plants`. */
const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

if (import.meta.main) {
  process.exitCode = await plantsProgram();
}
