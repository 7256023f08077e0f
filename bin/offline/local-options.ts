import { type Command, InvalidArgumentError, Option } from 'commander';
import { refuseOptionsAsValues, refuseOptionsOfNpm } from '../command-line/refused-arguments.ts';
import { defaultDataFolder, defaultPorts } from '../command-line/running.ts';

/** The options that npm start and npm run sam share. */
export interface LocalOptions {
  port: number;
  dynamodbPort: number;
  data: string;
  memory?: true;
  json?: true;
}

function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) {
    throw new InvalidArgumentError('A port is 0 to 65535; 0 is any free one.');
  }
  return Number(text);
}

function folder(text: string): string {
  if (text === '') {
    throw new InvalidArgumentError('Name a folder.');
  }
  return text;
}

const localOptions = [
  new Option('--port <n>', 'of the API').argParser(port).env('PORT').default(defaultPorts.api),
  new Option('--dynamodb-port <n>', 'of the database')
    .argParser(port)
    .default(defaultPorts.dynamodb),
  new Option('--data <folder>', 'where the database keeps its data')
    .argParser(folder)
    .default(defaultDataFolder),
  new Option('--memory', 'keep nothing').conflicts('data'),
  new Option('-c, --context <setting>').hideHelp().argParser(() => {
    throw new InvalidArgumentError('Write it into cdk.json, under "context".');
  }),
  new Option('--json', 'when ready, print one line of JSON: baseUrl, token, dynamodbEndpoint'),
];

/** Reads the command line of a program that takes the shared options beside its own. */
export function parseOptions(program: Command): void {
  for (const option of localOptions) {
    program.addOption(option);
  }
  refuseOptionsAsValues([program]);
  refuseOptionsOfNpm(program);
  program.parse();
}
