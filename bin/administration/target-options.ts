import { InvalidArgumentError, Option } from 'commander';
import { defaultPorts, findRunning } from '../command-line/running.ts';

/** Where the tables are: in the database of a running `npm start`, or in a deployed stack. */
export interface TargetOptions {
  localhost?: true;
  dynamodbEndpoint?: string;
  stack: string;
  profile?: string;
  region?: string;
}

export const targetOptions = () =>
  [
    new Option('--localhost', 'in the database of the running "npm start"').conflicts([
      'stack',
      'profile',
      'region',
    ]),
    new Option('--dynamodb-endpoint <url>', 'in a local database at this address')
      .argParser(httpUrl)
      .implies({ localhost: true }),
    new Option('--stack <name>', 'in this deployed stack').default('PlantStore'),
    new Option('--profile <name>', 'the AWS profile to use'),
    new Option('--region <name>', 'the AWS region to use'),
  ].map((option) => option.helpGroup('Where the tables are:'));

const defaultEndpoint = `http://127.0.0.1:${defaultPorts.dynamodb}`;

function httpUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new InvalidArgumentError(`An address looks like ${defaultEndpoint}.`);
  return text;
}

/** Returns the chosen address of the local database, or that of the running `npm start`. */
export const databaseEndpoint = ({ dynamodbEndpoint }: TargetOptions): string =>
  dynamodbEndpoint ?? findRunning()?.dynamodbEndpoint ?? defaultEndpoint;
