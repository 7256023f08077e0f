import { resolve } from 'node:path';
import { Argument, InvalidArgumentError, Option } from 'commander';
import { ownerPattern, ownerRule } from '../functions/shared/access-token.ts';
import { administration, runCommand } from './administration/program.ts';
import { example } from './command-line/example.ts';
import { eraseCommand } from './plants/erase.ts';
import { exportCommand } from './plants/export.ts';
import { importCommand } from './plants/import.ts';

const program = administration('npm run -s plants --').description(
  "Exports, imports and erases an owner's plants. Only an administrator can: it goes to the table.",
);
const onlyWriter = new Option(
  '--only-writer',
  'no other caller writes these plants: repeat a write whose answer got lost (after an erasure ' +
    'wait a minute before you import the same ids)',
).default(false);

program
  .command('export')
  .description('Writes the plants with their ids, one line of JSON each, in the order of the ids.')
  .addArgument(fileArgument('the file to write; stdout if left out or -'))
  .action(exportCommand)
  .addHelpText(
    'after',
    example('npm run plants -- export --owner alice --stack PlantStore plants.jsonl'),
  );

program
  .command('import')
  .description('Creates the plants of an export. A plant that is there already stays as it is.')
  .addArgument(fileArgument('the file to read; stdin if left out or -'))
  .addOption(onlyWriter)
  .action(importCommand)
  .addHelpText('after', example('npm run plants -- import --owner alice --localhost plants.jsonl'));

program
  .command('erase')
  .description("Deletes an owner's plants and access tokens for good. It asks first.")
  .addOption(onlyWriter)
  .action(eraseCommand)
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

process.exitCode = await runCommand(program, 'This command takes no tokens.');

/** Returns an argument whose path starts at the folder in which npm was called, not where it is. */
function fileArgument(description: string): Argument {
  const fromThere = (path: string) =>
    path === '-' ? undefined : resolve(process.env.INIT_CWD ?? '', path);
  return new Argument('[file]', description).argParser(fromThere);
}
