import { isIP } from 'node:net';
import { Command, InvalidArgumentError, Option } from 'commander';
import { addLocalOptions, type LocalOptions } from './ready.ts';

/** Options of npm start. */
export interface StartOptions extends LocalOptions {
  dynamodbHost: string;
  watch?: true;
  inspect?: DebuggerAddress;
}

export interface DebuggerAddress {
  host: string;
  port: number;
}

export const newStartProgram = (): Command =>
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

export const newSamProgram = (): Command =>
  addLocalOptions(new Command('npm run -s sam --'))
    .description(
      'Runs the plant store in SAM CLI with a local database. The functions run in Docker.',
    )
    .usage('[options] -- [arguments for "sam local start-api"]')
    .argument('[arguments...]');

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
