import { isIP } from 'node:net';
import { Command, InvalidArgumentError, Option } from 'commander';
import { defaultPorts } from '../command-line/default-ports.ts';
import { resolvePath } from '../command-line/paths.ts';
import { refuseOptionsAsValues, refuseOptionsOfNpm } from '../command-line/refused-arguments.ts';

export const defaultDataFolder = '.plant-store';

/** Options of npm start and npm run sam. */
export interface LocalOptions {
  port: number;
  dynamodbPort: number;
  data: string;
  memory?: true;
  json?: true;
}

export interface StartOptions extends LocalOptions {
  dynamodbHost: string;
  watch?: true;
  inspect?: DebuggerAddress;
}

export interface DebuggerAddress {
  host: string;
  port: number;
}

export const startCommand = (): Command =>
  addLocalOptions(new Command('npm start --'))
    .description('Runs the plant store on this machine, with a database.')
    .option(
      '--dynamodb-host <address>',
      'address on which the database listens',
      parseAddress,
      '127.0.0.1',
    )
    .option('--watch', 'reload functions when their code changes')
    .addOption(
      new Option('--inspect [host:port]', 'listen for a debugger, by default on 127.0.0.1:9229')
        .argParser(parseDebuggerAddress)
        .preset('127.0.0.1:9229'),
    );

export const samCommand = (): Command =>
  addLocalOptions(new Command('npm run -s sam --'))
    .description(
      'Runs the plant store in SAM CLI with a local database. The functions run in Docker.',
    )
    .usage('[options] -- [arguments for "sam local start-api"]')
    .argument('[arguments...]');

function addLocalOptions(command: Command): Command {
  return command
    .option('--port <n>', 'port of the API', parsePort, defaultPorts.api)
    .option('--dynamodb-port <n>', 'port of the database', parsePort, defaultPorts.dynamodb)
    .option('--data <folder>', 'folder of the database', parseFolder, defaultDataFolder)
    .addOption(new Option('--memory', 'keep data in memory only').conflicts('data'))
    .option('--json', 'print one line of JSON when ready: baseUrl, token, dynamodbEndpoint');
}

/** Parses the arguments of this process, and rejects those that cannot be meant. */
export function parseArguments(command: Command): Command {
  refuseOptionsAsValues([command]);
  refuseOptionsOfNpm(command);
  return command.parse();
}

function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65535) {
    throw new InvalidArgumentError('A port is 0 to 65535; 0 means any free port.');
  }
  return Number(text);
}

function parseFolder(text: string): string {
  if (text === '') {
    throw new InvalidArgumentError('Name a folder, or keep data in memory only with --memory.');
  }
  return resolvePath(text);
}

function parseAddress(text: string): string {
  if (!isIP(text)) {
    throw new InvalidArgumentError('An address looks like 127.0.0.1 or ::1.');
  }
  return text;
}

function parseDebuggerAddress(text: string): DebuggerAddress {
  const [, host = '127.0.0.1', port] = /^(?:(\S+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65535) {
    throw new InvalidArgumentError('An address looks like 127.0.0.1:9229.');
  }
  return { host, port: Number(port) };
}
