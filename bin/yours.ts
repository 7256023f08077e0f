import { join } from 'node:path';
import { Command } from 'commander';
import { isInUse } from '../lib/offline/database/data-folder.ts';
import { example } from './command-line/example.ts';
import { refuseOptionsAsValues, refuseOptionsOfNpm } from './command-line/refused-arguments.ts';
import { defaultDataFolder } from './command-line/running.ts';
import { faultsOfChecks, lockPackages, writeGenerated } from './yours/checks.ts';
import { CommandError, changeOrRestore, git, heedSignals, unclean } from './yours/git.ts';
import { localData, moveLocalData } from './yours/local-data.ts';
import { type Choices, type Made, make, refusalsOf } from './yours/make.ts';
import { type Names, namesIn } from './yours/names.ts';
import { readPackage, writePackage } from './yours/origin.ts';
import { parts, partsNamed } from './yours/parts.ts';

interface Options extends Partial<Names> {
  without: string[];
}

const root = join(import.meta.dirname, '..');
const list = (text: string): string[] => text.split(',').map((one) => one.trim());
const width = Math.max(...parts.map(({ name }) => name.length));

const program: Command = new Command('npm run yours --')
  .description('Makes this copy yours, once: renames what it keeps, and leaves parts out.')
  .option('--name <noun>', 'one of what your store keeps, like book or "garden tool"')
  .option('--plural <noun>', 'many of them')
  .option('--examples <names>', 'names of four of them, with commas between', list)
  .option('--tag <word>', 'a tag that one of them may have')
  .option('--without <parts>', 'parts to leave out, with commas between, or all', list, [])
  .addHelpText('after', `\nParts:\n${parts.map(line).join('\n')}`)
  .addHelpText(
    'after',
    example(
      'npm run yours -- --name book --plural books --tag used \\\n' +
        '    --examples Dune,Emma,Ulysses,Walden --without evidence,budget',
    ),
  );
refuseOptionsAsValues([program]);
refuseOptionsOfNpm(program);
program.parse();

function line({ name, what }: (typeof parts)[number]): string {
  return `  ${name.padEnd(width)}  ${what}`;
}

function refuse(message: string): never {
  program.error(`error: ${message}`);
}

const choices = choicesFrom(program.opts());
const refusal = await refusalOf(choices);
if (refusal) {
  refuse(refusal);
}
await makeYours(choices);

function choicesFrom({ without, ...given }: Options): Choices {
  const hasNames = Object.values(given).some((one) => one !== undefined);
  if (!hasNames && without.length === 0) {
    refuse('Say what your store keeps, or what to leave out. See npm run yours -- --help.');
  }
  const chosen = namesIn(given);
  if (hasNames && !chosen) {
    refuse('--name, --plural, --examples and --tag go together.');
  }
  return { names: chosen, without };
}

/** Returns why nothing can be done, or undefined. */
async function refusalOf(chosen: Choices): Promise<string | undefined> {
  const dirty = unclean(root);
  if (dirty) {
    return dirty;
  }
  if (readPackage(root).yours?.without) {
    return 'This copy is yours already, as package.json says. It can be made so once only.';
  }
  // What a killed "npm start" announced, and a copied folder, tell nothing.
  if (await isInUse(join(root, defaultDataFolder))) {
    return '"npm start" runs here. End it first.';
  }
  const faults = refusalsOf(root, chosen);
  return faults.length > 0 ? faults.join('\n') : undefined;
}

/** Makes the copy what was chosen and commits it, or leaves everything as it was. */
async function makeYours(chosen: Choices): Promise<void> {
  const tree = git(root, 'rev-parse', 'HEAD:./');
  try {
    const made = await changeOrRestore(root, () => makeAndCommit(chosen, tree));
    if (chosen.names) {
      moveLocalData(root, chosen.names);
    }
    tell(chosen, made);
  } catch (error) {
    if (!(error instanceof CommandError)) {
      throw error;
    }
    refuse(`${error.message}\nEverything is as it was before.`);
  }
}

async function makeAndCommit(chosen: Choices, tree: string): Promise<Made> {
  const made = make(root, chosen, join(root, 'node_modules'));
  const { names, without } = chosen;
  const left = partsNamed(without).map(({ name }) => name);
  const recorded = without.includes('all') ? ['all'] : left;
  writePackage(root, { ...readPackage(root), yours: { ...names, without: recorded, tree } });
  await heedSignals();
  const red = faultsOfChecks(root);
  if (red.length > 0) {
    throw new CommandError(
      `Types or lint are red. What met:\n${red.join('\n')}\n` +
        'Take another noun, or rename in the code what it meets, and commit that first.',
    );
  }
  await heedSignals();
  writeWhatFollows();
  await heedSignals();
  commit(chosen, made);
  return made;
}

/** Writes anew what follows from the code. */
function writeWhatFollows(): void {
  lockPackages(root);
  for (const failed of writeGenerated(root)) {
    console.error(`warning: ${failed}`);
  }
}

/** Commits everything but local data, which git ignores only by its new name. */
function commit({ names }: Choices, { parts: left }: Made): void {
  const local = names ? localData(root, names) : [];
  git(root, 'add', '--all', '--', '.', ...local.map((name) => `:(exclude,literal)${name}`));
  const kept = names ? `a store of ${names.plural}` : 'ours';
  const without = left.length > 0 ? `, without ${left.join(', ')}` : '';
  git(root, 'commit', '-q', '-m', `Make it ${kept}${without}`);
}

function tell({ names }: Choices, { changed, removed, parts: left }: Made): void {
  const done = [
    names ? `${changed} files are about ${names.plural} now.` : '',
    left.length > 0 ? `${removed} files of these parts are gone: ${left.join(', ')}.` : '',
    'Types and lint are green, and all of it is one commit: git show --stat.',
    'No program knows English, so read the diff. Then run "npm test".',
  ];
  console.log(done.filter((one) => one !== '').join('\n'));
}
