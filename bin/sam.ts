import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Command } from 'commander';
import { environment } from '../functions/shared/environment-variables.ts';
import { assemble } from '../lib/offline/assembly.ts';
import { createTables } from '../lib/offline/database/create-tables.ts';
import { readTemplate } from '../lib/offline/template/template.ts';
import { settingKey } from '../lib/setting-facts.ts';
import { example } from './command-line/example.ts';
import { lifecycle, messageOf, type Start } from './command-line/lifecycle.ts';
import { demoToken, openDatabase } from './offline/local-database.ts';
import { type LocalOptions, parseOptions } from './offline/local-options.ts';
import { printReady, progress } from './offline/local-output.ts';
import { openWorkFolder } from './offline/work-folder.ts';
import { type Docker, findDocker } from './sam/docker.ts';
import { findSam, startSam } from './sam/sam-cli.ts';

const program = new Command('npm run sam --')
  .description(
    'Runs the plant store in SAM CLI: the stack that would be deployed, ' +
      'its functions in Docker, and a database.',
  )
  .usage('[options] -- [arguments for "sam local start-api"]')
  .argument('[arguments...]')
  .addHelpText('after', example('npm run sam -- --port 3110 -- --debug-port 5858'));
parseOptions(program);

await lifecycle((start) => run(program.opts(), program.args, start));

async function run(options: LocalOptions, args: string[], start: Start): Promise<void> {
  const docker = await tools();
  const { path: assembly } = await start(openWorkFolder);
  const isDebugging = args.some((arg) => /^(-d|--debug-port)\b/.test(arg));
  const context = {
    [settingKey('architecture')]: docker.architecture,
    [settingKey('source-maps')]: isDebugging ? 'inline' : 'off',
    // SAM CLI would write a hundred lines about the paths of constructs.
    'aws:cdk:enable-path-metadata': false,
  };
  const [database] = await Promise.all([
    start(() => openDatabase(options, { host: docker.address })),
    progress('Synthesizing the stack and bundling its functions', assemble(assembly, context)),
  ]);
  const template = readTemplate(assembly);
  const dynamodbEndpoint = database.endpoint;
  const endpointInDocker = `http://${docker.hostname}:${new URL(dynamodbEndpoint).port}`;
  const makeTables = () => createTables(template, dynamodbEndpoint);
  await progress('Making the tables', database.exclusively(makeTables));

  const sam = await start(() =>
    startSam({
      template: template.file,
      port: options.port,
      environment: { [environment.dynamodbEndpoint]: endpointInDocker },
      args,
      log: console.error,
    }),
  );
  const ready = {
    baseUrl: await sam.ready,
    token: await demoToken(dynamodbEndpoint, 'npm run sam'),
    dynamodbEndpoint,
  };
  // A debugged function does not answer before there is a debugger.
  if (!isDebugging) {
    await firstAnswer(ready);
  }
  printReady(ready, options, 'SAM CLI prints several lines for each request.');
  await sam.ended;
  throw new Error('SAM CLI has ended. Its lines above say why.');
}

/**
 * Sends a first request through all parts, for which SAM CLI may have to fetch the functions'
 * image. Throws if the answer is not a list of plants.
 */
async function firstAnswer({ baseUrl, token }: { baseUrl: string; token: string }): Promise<void> {
  // fetch could give up before the image is there.
  const request = get(`${baseUrl}/plants`, { headers: { Authorization: `Bearer ${token}` } });
  const [{ statusCode }] = (await once(request, 'response')) as [IncomingMessage];
  if (statusCode !== 200) {
    throw new Error(
      `A list of plants was answered with ${statusCode}; SAM CLI's lines say why. ` +
        "If the functions' image is there but cannot be fetched again: " +
        'npm run sam -- -- --skip-pull-image',
    );
  }
}

/** Finds Docker and SAM CLI. Throws an error with a line for each that is missing. */
async function tools(): Promise<Docker> {
  const docker = findDocker();
  const found = await Promise.allSettled([docker, findSam()]);
  const faults = found.flatMap((one) => (one.status === 'rejected' ? messageOf(one.reason) : []));
  if (faults.length > 0) {
    throw new Error(faults.join('\n       '));
  }
  return docker;
}
