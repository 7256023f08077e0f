import { existsSync, fstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { UnknownOutcome } from '../functions/dynamodb/writes.ts';
import { ownerPattern } from '../functions/shared/access-token.ts';
import { listTokens } from './administration/access-tokens.ts';
import { AdministrationError } from './administration/administration-error.ts';
import { explain } from './administration/explain.ts';
import { type TargetOptions, targetOptions } from './administration/target-options.ts';
import { example } from './command-line/example.ts';
import { refuseOptionsAsValues, refuseOptionsOfNpm } from './command-line/refused-options.ts';
import { refuseSecretArguments } from './command-line/secret-arguments.ts';
import { erasePlants, eraseTokens } from './plants/erase.ts';
import { exportToFile, exportToStdout, pagesOf } from './plants/export.ts';
import { type ImportReport, importPlants, openInput } from './plants/import.ts';
import { openPlants, type Plants, tableIdentity } from './plants/open-plants.ts';
import { progressBar } from './plants/progress-bar.ts';

interface Options extends TargetOptions {
  owner: string;
}

interface WriteOptions extends Options {
  onlyWriter: boolean;
}

const onlyWriter = new Option(
  '--only-writer',
  'no other caller writes these plants: repeat a write whose answer got lost',
).default(false);

const program = new Command('npm run -s plants --').description(
  "Exports, imports and erases an owner's plants. Only an administrator can: it goes to the table.",
);

program
  .command('export')
  .description('Writes the plants with their ids, one line of JSON each, in the order of the ids.')
  .addArgument(fileArgument('the file to write; stdout if left out'))
  .action((file: string | undefined, options: Options) =>
    run(options, (plants) => exportCommand(plants, options, file)),
  )
  .addHelpText('after', example('npm run plants -- export --owner alice plants.jsonl'));

program
  .command('import')
  .description('Creates the plants of an export. A plant that is there already stays as it is.')
  .addArgument(fileArgument('the file to read; stdin if left out'))
  .addOption(onlyWriter)
  .action((file: string | undefined, options: WriteOptions) =>
    run(options, (plants) => importCommand(plants, options, file)),
  )
  .addHelpText('after', example('npm run plants -- import --owner alice plants.jsonl'));

program
  .command('erase')
  .description("Deletes an owner's plants and access tokens for good. It asks first.")
  .addOption(onlyWriter)
  .action((options: WriteOptions) => run(options, (plants) => eraseCommand(plants, options)))
  .addHelpText('after', example('npm run plants -- erase --owner alice --localhost'));

for (const command of program.commands) {
  command.addOption(
    new Option('--owner <name>', 'whose plants').argParser(ownerName).makeOptionMandatory(),
  );
  for (const option of targetOptions) command.addOption(option.helpGroup('Where the plants are:'));
}

/** So many faulty lines are shown. The others are only counted. */
const faultsShown = 20;

refuseSecretArguments('This command takes no tokens.');
refuseOptionsOfNpm(program);
refuseOptionsAsValues(program.commands);
await program.parseAsync();

async function exportCommand(from: Plants, { owner }: Options, file?: string): Promise<void> {
  const bar = progressBar('Exporting');
  let plants = 0;
  const count = (more: number) => {
    plants += more;
    bar.show(plants);
  };
  if (file === undefined) {
    await exportToStdout(from.store, owner, count);
  } else {
    const origin = { owner, ...(await tableIdentity(from)) };
    if (!(await exportToFile(from.store, origin, file, count, onInterrupt())))
      throw new AdministrationError(`interrupted. Repeat the command to continue ${file}.part.`);
  }
  bar.clear();
  console.error(`Exported ${counted(plants)} of ${owner}.`);
}

async function importCommand(to: Plants, options: WriteOptions, file?: string): Promise<void> {
  const { owner, onlyWriter } = options;
  const signal = onInterrupt();
  if (file === undefined && process.stdin.isTTY)
    throw new AdministrationError('Name a file to import.');
  if (file !== undefined && !existsSync(file))
    throw new AdministrationError(`There is no file ${file}.`);
  const stats = file === undefined ? fstatSync(0) : statSync(file);
  const bytesOf = (read: number) => (stats.isFile() ? Math.min(read / stats.size, 1) : undefined);
  const bar = progressBar('Importing');
  const done = { created: 0, unchanged: 0, conflict: 0, invalid: 0 };
  const summary = () => `${counted(done.created)} created, ${done.unchanged} there already`;
  let lines = 0;
  let faults = 0;
  const report: ImportReport = {
    progress(outcome, bytes) {
      done[outcome] += 1;
      lines += 1;
      bar.show(lines, bytesOf(bytes));
    },
    fault(line, reason) {
      faults += 1;
      bar.clear();
      if (faults <= faultsShown) console.error(`line ${line}: ${reason}`);
    },
  };
  const work = importPlants(to.store, owner, onlyWriter, openInput(file), report, signal);
  await tellingProgress(work, summary, options, signal).finally(bar.clear);
  if (faults > faultsShown) console.error(`… and ${faults - faultsShown} more lines like these`);
  if (faults > 0)
    throw new AdministrationError(
      `${summary()}, ${done.conflict} in conflict, ${done.invalid} invalid.`,
    );
  console.error(`Imported for ${owner}: ${summary()}.`);
}

async function eraseCommand(plants: Plants, options: WriteOptions): Promise<void> {
  const { owner, onlyWriter } = options;
  const { store, database, tokensTable, name } = plants;
  let total = 0;
  for await (const page of pagesOf(store, owner)) total += page.length;
  const tokens = (await listTokens(database, tokensTable, owner)).length;
  console.error(`${name}: ${owner} has ${counted(total)} and ${tokens} access tokens.`);
  if (total + tokens === 0) return;
  if (!(await confirmed(owner))) throw new AdministrationError('nothing is erased.');
  const signal = onInterrupt();
  const bar = progressBar('Erasing');
  let erased = 0;
  const count = () => {
    erased += 1;
    bar.show(erased, Math.min(erased / total, 1));
  };
  // Erase the tokens first, so that their holders create no more plants.
  const work = eraseTokens(database, tokensTable, owner).then(() =>
    erasePlants(store, owner, onlyWriter, count, signal),
  );
  const summary = () => `${counted(erased)} erased`;
  await tellingProgress(work, summary, options, signal).finally(bar.clear);
  console.error(
    `Erased ${counted(erased)} and ${tokens} access tokens of ${owner}. API Gateway may accept ` +
      'a token for up to 60 s more, or for as long as the setting authorizer-cache says. Repeat ' +
      'the command after that.',
  );
}

/** Rejects with how far the work came, if it fails or the signal ends it. */
async function tellingProgress(
  work: Promise<void>,
  summary: () => string,
  options: WriteOptions,
  signal: AbortSignal,
): Promise<void> {
  const again = 'Repeat the command to continue.';
  try {
    await work;
  } catch (error) {
    const isUnknown = error instanceof UnknownOutcome;
    const hint = isUnknown
      ? ` If no other caller writes plants of ${options.owner}, add --only-writer: the command ` +
        'then repeats such a write by itself.'
      : '';
    const what = isUnknown ? error.message : explain(error, options);
    throw new AdministrationError(`${what} So far: ${summary()}. ${again}${hint}`);
  }
  if (signal.aborted) throw new AdministrationError(`interrupted: ${summary()}. ${again}`);
}

/** Asks for the owner's whole name, because erased plants cannot be restored. */
async function confirmed(owner: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    const question = `Type "${owner}" to erase them for good: `;
    const answer = lines.question(question).catch(() => '');
    return (await Promise.race([answer, closed])) === owner;
  } finally {
    lines.close();
  }
}

/** Opens the tables, works on them, and prints errors in one line. */
async function run(options: Options, work: (plants: Plants) => Promise<void>): Promise<void> {
  try {
    await work(await openPlants(options));
  } catch (error) {
    console.error(`error: ${explain(error, options)}`);
    process.exitCode = 1;
  }
  // Stdin would keep the process alive until its writer closes it.
  process.stdin.destroy();
}

/** Returns a signal that Ctrl-C aborts, so that a command finishes what is in progress. */
function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => controller.abort());
  return controller.signal;
}

function ownerName(text: string): string {
  if (!new RegExp(ownerPattern).test(text))
    throw new InvalidArgumentError('It is 1 to 128 letters, digits and . _ @ -');
  return text;
}

/**
 * Returns an argument whose path starts at the folder in which npm was called. npm runs the program
 * in the folder of package.json.
 */
function fileArgument(description: string): Argument {
  return new Argument('[file]', description).argParser((path) =>
    resolve(process.env.INIT_CWD ?? '', path),
  );
}

function counted(plants: number): string {
  return plants === 1 ? '1 plant' : `${plants} plants`;
}
