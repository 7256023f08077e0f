import { type Command, InvalidArgumentError, Option } from 'commander';
import { defaultDataFolder } from './running.ts';

/** The options that npm start and npm run sam share. */
export interface LocalOptions {
  port: number;
  dynamodbPort: number;
  data: string;
  memory?: true;
  json?: true;
}

function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535)
    throw new InvalidArgumentError('A port is 0 to 65535; 0 is any free one.');
  return Number(text);
}

const localOptions = [
  new Option('--port <n>', 'of the API').argParser(port).env('PORT').default(3000),
  new Option('--dynamodb-port <n>', 'of the database').argParser(port).default(8000),
  new Option('--data <folder>', 'where the database keeps its data').default(defaultDataFolder),
  new Option('--memory', 'keep nothing').conflicts('data'),
  new Option('--json', 'when ready, print one line of JSON: baseUrl, token, dynamodbEndpoint'),
];

/** Reads the command line of a program that takes the shared options beside its own. */
export function parseOptions(program: Command): void {
  for (const option of localOptions) program.addOption(option);
  refuseOptionsOfNpm(program);
  program.parse();
}

/** Without "--" before them, npm takes options for its own, and the program would not know. */
function refuseOptionsOfNpm(program: Command): void {
  const { npm_lifecycle_event: script } = process.env;
  const command = script === 'start' ? 'npm start' : `npm run ${script}`;
  if (program.name() !== `${command} --`) return;
  const args = process.argv.slice(2);
  const taken = program.options.flatMap(({ long = '', required }) => {
    const value = process.env[`npm_config_${long.slice(2).replaceAll('-', '_')}`];
    if (value === undefined || args.includes(long)) return [];
    // npm hands on the value of an option that it does not know as an argument.
    const given = required && value === 'true' ? args.shift() : value;
    return required ? [`${long} ${given ?? '…'}`] : [long];
  });
  if (taken.length === 0) return;
  program.error(
    'error: npm took these options for its own. Type "--" before them: ' +
      [command, '--', ...taken, ...args].join(' '),
  );
}
