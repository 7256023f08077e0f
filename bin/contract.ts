import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';

const program = new Command('npm run -s contract --')
  .description(
    'Holds a running plant store to its contract, over HTTP. A token can be given in the environment too, where a list of processes does not show it.',
  )
  .addOption(
    new Option('--base-url <url>', 'of the API, with its stage')
      .env('CONTRACT_BASE_URL')
      .argParser(baseUrlOf)
      .makeOptionMandatory(),
  )
  .addOption(
    new Option('--token <token>', 'of an owner without plants')
      .env('CONTRACT_TOKEN')
      .makeOptionMandatory(),
  )
  .addOption(
    new Option('--other-token <token>', 'of another owner without plants')
      .env('CONTRACT_OTHER_TOKEN')
      .makeOptionMandatory(),
  )
  .addOption(
    new Option('--read-token <token>', 'with the scope plants:read alone')
      .env('CONTRACT_READ_TOKEN')
      .makeOptionMandatory(),
  )
  .addOption(
    new Option('--revoked-token <token>', 'that was revoked').env('CONTRACT_REVOKED_TOKEN'),
  )
  .addOption(
    new Option('--expired-token <token>', 'that has expired').env('CONTRACT_EXPIRED_TOKEN'),
  )
  .addOption(
    new Option('--target <kind>', 'sam leaves out what sam local answers in its own words')
      .env('CONTRACT_TARGET')
      .choices(['aws', 'sam'])
      .default('aws'),
  )
  .option('--except <words...>', 'leaves out the tests whose names have these words')
  .parse();

const { except = [], ...given } = program.opts<{ except?: string[] }>();
const { baseUrl, target, ...tokens } = given as Record<string, string>;
console.log(
  `${baseUrl}: about ${target === 'sam' ? 200 : 1200} plants will be created for the owners of the first two tokens, ` +
    'and all of them deleted again. Where one of these owners has plants already, nothing is done.',
);

const environment = { CONTRACT_BASE_URL: baseUrl, CONTRACT_TARGET: target };
for (const [name, token] of Object.entries(tokens)) {
  Object.assign(environment, { [`CONTRACT_${name.replace(/[A-Z]/, '_$&').toUpperCase()}`]: token });
}
const root = join(import.meta.dirname, '..');
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const options = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  jest,
  '--runInBand',
  'test/contract/',
];
if (except.length > 0) {
  console.log(`Left out are the tests with these words in their names: ${except.join('; ')}.`);
  const literally = except.map((words) => words.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  options.push(`--testNamePattern=^(?!.*(?:${literally.join('|')}))`);
}
// In a process group of its own: Ctrl-C reaches this program alone, and the suite gets to delete what it has created.
const suite = spawn(process.execPath, options, {
  cwd: root,
  env: { ...process.env, ...environment },
  stdio: 'inherit',
  detached: process.platform !== 'win32',
});
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => console.error('The suite ends by itself, and deletes its plants.'));
const [code] = await once(suite, 'exit');
process.exitCode = code ?? 1;

function baseUrlOf(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new InvalidArgumentError('Say something like https://…/v1.');
  return text.replace(/\/$/, '');
}
