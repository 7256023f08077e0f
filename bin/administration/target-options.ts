import { type Command, InvalidArgumentError, Option } from 'commander';
import { defaultPorts, findRunning } from '../command-line/running.ts';

/** Where the tables are. Every command says it, so that none changes the wrong ones. */
export type TargetOptions = LocalTarget | StackTarget;

/** The database of a running `npm start`. */
export interface LocalTarget {
  localhost: true;
  dynamodbEndpoint?: string;
}

/** A deployed stack. */
export interface StackTarget {
  localhost?: undefined;
  stack: string;
  profile?: string;
  region?: string;
}

const targetOptions = (): Option[] =>
  [
    new Option('--localhost', 'in the database of the running "npm start"').conflicts([
      'stack',
      'profile',
      'region',
    ]),
    new Option('--dynamodb-endpoint <url>', 'in a local database at this address')
      .argParser(httpUrl)
      .implies({ localhost: true }),
    new Option('--stack <name>', 'in this deployed stack, like PlantStore'),
    new Option('--profile <name>', 'the AWS profile to use'),
    new Option('--region <name>', 'the AWS region to use'),
  ].map((option) => option.helpGroup('Where the tables are:'));

/** Adds the options that choose a target to a command, which refuses to run without one. */
export function addTargetOptions(command: Command): void {
  for (const option of targetOptions()) {
    command.addOption(option);
  }
  command.hook('preAction', () => {
    const { localhost, stack } = command.opts<Partial<StackTarget>>();
    if (!localhost && stack === undefined) {
      command.error(
        'error: Say where: add --localhost for the running "npm start", or --stack PlantStore ' +
          'for the deployed stack of that name.',
      );
    }
  });
}

const defaultEndpoint = `http://127.0.0.1:${defaultPorts.dynamodb}`;

function httpUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text)) {
    throw new InvalidArgumentError(`An address looks like ${defaultEndpoint}.`);
  }
  return text;
}

/** Returns the chosen address of the local database, or that of the running `npm start`. */
export const databaseEndpoint = ({ dynamodbEndpoint }: LocalTarget): string =>
  dynamodbEndpoint ?? findRunning()?.dynamodbEndpoint ?? defaultEndpoint;
