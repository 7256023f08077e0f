import type { Command } from 'commander';
import { defaultCacheSeconds } from '../functions/shared/timeouts.ts';
import { countHolding, describeHolding, eraseHolding } from '../lib/administration/erase.ts';
import { exportPlants } from '../lib/administration/export.ts';
import { importPlants } from '../lib/administration/import.ts';
import { openInput, readFirstLine } from '../lib/administration/lines.ts';
import { parseOwner } from '../lib/administration/owner.ts';
import { formatExample, newProgram, runCommand } from '../lib/administration/program.ts';
import { withTarget } from '../lib/administration/target.ts';
import { addTargetOptions } from '../lib/administration/target-options.ts';
import { CommandError } from '../lib/command-line/command-error.ts';
import { formatCount } from '../lib/command-line/format-count.ts';
import { resolvePath } from '../lib/command-line/paths.ts';

/** Runs the command in the process's arguments. Returns the exit code. */
export function plantsProgram(): Promise<number> {
  const program = newProgram('npm run -s plants --').description(
    "Exports, imports and erases an owner's plants, directly in the table. For administrators.",
  );
  const addOwner = (command: Command): Command =>
    command.requiredOption('--owner <name>', 'owner of the plants', parseOwner);

  const exporting = program
    .command('export')
    .description(
      'Writes the plants with their ids, one line of JSON each, in ascending order of ids.',
    )
    .argument('<file>', 'the file to create, or - for stdout')
    .addHelpText(
      'after',
      formatExample('npm run -s plants -- export --owner alice --stack PlantStore plants.jsonl'),
    );
  addTargetOptions(addOwner(exporting)).action(async (file, options) => {
    await withTarget(options, async (target) => {
      const exported = await exportPlants(target, options.owner, file);
      console.error(`Exported ${formatCount(exported, 'plant')} of ${options.owner}.`);
    });
  });

  const importing = program
    .command('import')
    .description('Creates the plants of an export. Existing plants stay as they are.')
    .argument('<file>', 'the file to read, or - for stdin')
    .addHelpText(
      'after',
      formatExample('npm run -s plants -- import --owner alice --localhost plants.jsonl'),
    );
  addTargetOptions(addOwner(importing)).action(async (file, options) => {
    await withTarget(options, async (target) => {
      const input = file === '-' ? process.stdin : await openInput(resolvePath(file));
      const imported = await importPlants(target, options.owner, input);
      console.error(`Imported for ${options.owner}: ${imported}.`);
    });
  });

  const erasing = program
    .command('erase')
    .description("Deletes an owner's access tokens and plants permanently. Asks for confirmation.")
    .addHelpText('after', formatExample('npm run -s plants -- erase --owner alice --localhost'));
  addTargetOptions(addOwner(erasing)).action(async (options) => {
    const { owner } = options;
    await withTarget(options, async (target) => {
      const found = await countHolding(target, owner);
      console.error(`${owner} has ${describeHolding(found)}.`);
      if (found.tokens + found.plants === 0) {
        return;
      }
      process.stderr.write(`Type "${owner}" to erase them from ${target.name} permanently: `);
      if ((await readFirstLine()) !== owner) {
        throw new CommandError(
          `The name is not "${owner}". Nothing was erased. Repeat the command to try again.`,
        );
      }
      const erased = await eraseHolding(target, owner, found);
      console.error(
        `Erased ${describeHolding(erased)} of ${owner}. API Gateway may accept an erased token for ` +
          `up to ${defaultCacheSeconds} s, or as long as the setting authorizer-cache says. Repeat ` +
          'the command after that.',
      );
    });
  });

  return runCommand(program, 'This command takes no tokens.');
}

if (import.meta.main) {
  process.exitCode = await plantsProgram();
}
