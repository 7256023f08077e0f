// Prints the commands of the pages as JSON.
import { readPageCommands } from '../../test/stack/pages/commands.ts';

process.stdout.write(JSON.stringify(readPageCommands()));
