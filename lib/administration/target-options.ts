import { type Command, InvalidArgumentError, Option } from 'commander';
import { defaultEndpoint } from '../command-line/default-ports.ts';

/** The tables to use. Every command requires a target, so that none changes the wrong tables. */
export type TargetOptions = LocalTarget | StackTarget;

/** The database of an `npm start`. */
export interface LocalTarget {
  localhost: true;
  /** By default, the address of an `npm start` on its default ports. */
  dynamodbEndpoint?: string;
}

/** A deployed stack. */
export interface StackTarget {
  localhost?: undefined;
  /** Missing if the command names no target. */
  stack?: string;
  profile?: string;
  region?: string;
}

/** Adds the options that choose a target to a command. */
export function addTargetOptions(command: Command): Command {
  const options = [
    new Option('--localhost', `the database of "npm start" at ${defaultEndpoint}`).conflicts([
      'stack',
      'profile',
      'region',
    ]),
    new Option('--dynamodb-endpoint <url>', 'the database of an "npm start" at another address')
      .argParser(parseHttpUrl)
      .implies({ localhost: true }),
    new Option('--stack <name>', 'a deployed stack, like PlantStore'),
    new Option('--profile <name>', 'AWS profile'),
    new Option('--region <name>', 'AWS region'),
  ];
  for (const option of options) {
    command.addOption(option.helpGroup('Target:'));
  }
  return command;
}

function parseHttpUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text)) {
    throw new InvalidArgumentError(`An address looks like ${defaultEndpoint}.`);
  }
  return text;
}
