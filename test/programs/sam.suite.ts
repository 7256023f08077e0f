import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { copyProduct } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { testOnPosix } from '../support/posix.ts';
import { startProgram } from '../support/program.ts';
import { maskStart } from './printed.ts';

// Docker, SAM CLI and the CDK's command line are small scripts here. The suite test/slow/sam has the
// real ones.

const docker = `console.log('x86_64 Docker Desktop');`;
/** Writes the command, the arguments and the environment into a file beside the script. */
const record = `
  const { writeFileSync } = require('node:fs');
  const [command, ...args] = process.argv.slice(2);
  writeFileSync(__filename + '.json', JSON.stringify({ command, args, env: process.env }));`;
/** Like SAM CLI, rejects unknown options, and passes on only variables that the template declares. */
const sam = `${record}
  if (command === 'local') {
    // Exits with bin/sam.ts, even if that is killed.
    const parent = process.ppid;
    setInterval(() => process.ppid === parent || process.exit(), 100);
    const { readFileSync } = require('node:fs');
    const names = ['template', 'port', 'env-vars', 'warm-containers'];
    const options = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    const { values } = require('node:util').parseArgs({ args: args.slice(1), options });
    const read = (name) => JSON.parse(readFileSync(values[name], 'utf8'));
    const { ListPlants } = read('template').Resources;
    const variables = Object.entries(ListPlants.Properties.Environment.Variables)
      .map(([name, value]) => [name, read('env-vars').Parameters[name] ?? value]);
    // In a container of Docker Desktop, this machine has only this name.
    const endpoint = Object.fromEntries(variables).AWS_ENDPOINT_URL_DYNAMODB
      .replace('127.0.0.1', 'no-such-host.invalid')
      .replace('host.docker.internal', '127.0.0.1');
    const server = require('node:http').createServer(({ url, headers }, response) => {
      const isList = url === '/plants' && /^Bearer pst_\\w{62}$/.test(headers.authorization);
      return fetch(endpoint).then(
        () => response.writeHead(isList ? 200 : 401).end('[]'),
        () => response.writeHead(502).end(),
      );
    });
    server.listen(values.port, '127.0.0.1', () =>
      console.error(' * Running on http://127.0.0.1:' + server.address().port));
  }`;
const variable = 'AWS_ENDPOINT_URL_DYNAMODB';
const ListPlants = { Properties: { Environment: { Variables: { [variable]: '' } } } };
const cdk = `${record}
  if (process.env.CDK_FAILS) {
    console.error('no such construct');
    process.exit(1);
  }
  const stack = args[args.indexOf('--output') + 1] + '/PlantStore';
  writeFileSync(stack + '.assets.json', '{}');
  writeFileSync(stack + '.template.json', '${JSON.stringify({ Resources: { ListPlants } })}');`;

const project = temporaryFolder();
copyProduct(project);
const folderOfCdk = join(project, 'node_modules', 'aws-cdk');
rmSync(folderOfCdk);
mkdirSync(join(folderOfCdk, 'bin'), { recursive: true });
writeFileSync(join(folderOfCdk, 'package.json'), '{}');
writeFileSync(join(folderOfCdk, 'bin', 'cdk'), cdk);

/** Writes a program that a name on the PATH starts. A line `#!` cannot hold a path with a blank. */
function writeProgram(file: string, code: string): void {
  const node = process.execPath.replaceAll("'", `'\\''`);
  writeFileSync(`${file}.cjs`, code);
  writeFileSync(file, `#!/bin/sh\nexec '${node}' "$0.cjs" "$@"\n`, { mode: 0o755 });
}

/** Starts bin/sam.ts with no other programs on its PATH than these. */
function startSam(programs: Record<string, string>, env = {}, launcher: string[] = []) {
  const folder = temporaryFolder();
  for (const [name, code] of Object.entries(programs)) {
    writeProgram(join(folder, name), code);
  }
  const options = ['--memory', '--port', '0', '--dynamodb-port', '0'];
  const args = [...launcher, 'bin/sam.ts', ...options];
  const surroundings = { cwd: project, env: { ...process.env, ...env, PATH: folder } };
  return { folder, ...startProgram(process.execPath, args, surroundings) };
}

const readCall = (file: string) => JSON.parse(readFileSync(`${file}.json`, 'utf8'));

const testScripts = testOnPosix('it cannot start a script by its first line');

testScripts(
  'npm run sam synthesizes a template without path metadata, and gives SAM CLI no credentials',
  async () => {
    const own = {
      AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'example',
      AWS_SESSION_TOKEN: 'example',
      AWS_PROFILE: 'work',
    };
    const { folder, child, line, ended } = startSam({ docker, sam }, own);
    await line(/SAM CLI prints several lines per request\./);
    child.kill('SIGINT');
    expect(maskStart(await ended())).toMatchSnapshot();

    const { command, args: synthesis } = readCall(join(folderOfCdk, 'bin', 'cdk'));
    const files = join(project, 'cdk.out', 'sam');
    expect([command, ...synthesis]).toEqual([
      ...['synth', '--quiet', '--no-path-metadata', '--output', files],
      ...['--context', 'plant-store:architecture=x86_64'],
    ]);
    const { args, env } = readCall(join(folder, 'sam.cjs'));
    expect(args).toEqual([
      'start-api',
      ...['--template', join(files, 'PlantStore.template.json'), '--port', '0'],
      ...['--env-vars', join(files, 'env-vars.json'), '--warm-containers', 'LAZY'],
    ]);
    const passedOn = Object.entries(env).filter(([name]) => name.startsWith('AWS_'));
    expect(Object.fromEntries(passedOn)).toEqual({
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      AWS_EC2_METADATA_DISABLED: 'true',
    });
  },
);

testScripts('npm run sam without SAM CLI prints one line and synthesizes nothing', async () => {
  expect(await startSam({ docker }).ended()).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: SAM CLI cannot be started. Install it: ' +
      'https://docs.aws.amazon.com/serverless-application-model/\n',
  });
});

testScripts('if the stack cannot be synthesized, the output of CDK says why', async () => {
  expect(await startSam({ docker, sam }, { CDK_FAILS: '1' }).ended()).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Synthesizing the stack …\nerror: Cannot synthesize the stack.\nno such construct\n\n',
  });
});

testScripts('the end of the launcher stops npm run sam before the functions respond', async () => {
  const waiting = `(console.error('GET'), new Promise(() => {}))`;
  const silent = sam.replace('fetch(endpoint)', waiting);
  const launcher = ['bin/node24.mjs'];
  const { child, line, ended } = startSam({ docker, sam: silent }, {}, launcher);
  await line(/^GET$/);
  child.kill('SIGKILL');
  expect(maskStart(await ended())).toEqual({
    code: null,
    stdout: '',
    stderr: 'Synthesizing the stack …\n * Running on http://127.0.0.1:PORT\nGET\n',
  });
});

testScripts('if SAM CLI does not start, its output and an error say so', async () => {
  const failing = `process.argv[2] === 'local' && (console.error('No such option'), process.exit(2));`;
  const { ended } = startSam({ docker, sam: failing });
  expect(await ended()).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'Synthesizing the stack …\nNo such option\n' +
      'error: SAM CLI exited with code 2. See its output above.\n',
  });
});

testScripts(
  'if the functions fail, an error says so, and the container that SAM CLI leaves behind is removed',
  async () => {
    const failing = `${sam.replace('fetch(endpoint)', 'Promise.reject()')}
    command === 'local' && console.error('SAM_CONTAINER_ID: 0a1b2c');`;
    const { folder, ended } = startSam({ docker: record + docker, sam: failing });
    expect(maskStart(await ended())).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'Synthesizing the stack …\nSAM_CONTAINER_ID: 0a1b2c\n' +
        ' * Running on http://127.0.0.1:PORT\n' +
        'error: GET /plants returned 502. See the output of SAM CLI above. If the image of the ' +
        'functions cannot be pulled: npm run sam -- -- --skip-pull-image\n',
    });
    const { command, args } = readCall(join(folder, 'docker.cjs'));
    expect([command, ...args]).toEqual(['rm', '--force', '0a1b2c']);
  },
);
