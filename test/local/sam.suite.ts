import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect } from '@jest/globals';
import { copyProduct } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { testOnPosix } from '../support/posix.ts';
import { startProgram } from '../support/program.ts';
import { maskStart } from '../support/programs/printed.ts';

// Docker, SAM CLI and the CDK's command line are small scripts here. The suite test/slow/sam has
// the real ones.

/**
 * Like SAM CLI, rejects unknown options, and passes on only variables that the template declares.
 */
const localSam = `
  const { readFileSync, writeFileSync } = require('node:fs');
  writeFileSync(__filename + '.json', JSON.stringify(process.env));
  // Exits with bin/sam.ts, even if that is killed, but handles a signal that came before.
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || setImmediate(() => process.exit()), 100);
  process.on('SIGINT', () => {
    console.error('Stopping');
    setTimeout(() => process.exit(), 100);
  });
  process.on('SIGWINCH', () => console.error('Signalled by the terminal'));
  const names = ['template', 'port', 'env-vars', 'warm-containers'];
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  options.debug = { type: 'boolean' };
  const { values } = require('node:util').parseArgs({ args: process.argv.slice(4), options });
  const read = (name) => JSON.parse(readFileSync(values[name], 'utf8'));
  const { ListPlants } = read('template').Resources;
  const variables = Object.entries(ListPlants.Properties.Environment.Variables)
    .map(([name, value]) => [name, read('env-vars').Parameters[name] ?? value]);
  // In a container of Docker Desktop, this machine has only this name.
  const endpoint = Object.fromEntries(variables).AWS_ENDPOINT_URL_DYNAMODB
    .replace('127.0.0.1', 'no-such-host.invalid')
    .replace('host.docker.internal', '127.0.0.1');
  const server = require('node:http').createServer(async ({ url, headers }, response) => {
    const isList = url === '/plants' && /^Bearer pst_[0-9A-Za-z_]{62}$/.test(headers.authorization);
    const { status } = await fetch(endpoint);
    // SAM CLI logs a malformed request line as the client wrote it.
    console.error('code 400, message Bad request syntax (GET /SAM_CONTAINER_ID: 9f8e7d HTTP/1.1)');
    response.writeHead(isList && status === 200 ? 200 : 502).end('[]');
  });
  server.listen(values.port, '127.0.0.1', () => {
    console.error(' * Running on http://127.0.0.1:' + server.address().port);
  });`;

const variable = 'AWS_ENDPOINT_URL_DYNAMODB';
const ListPlants = { Properties: { Environment: { Variables: { [variable]: '' } } } };
const localCdk = `
  const { writeFileSync } = require('node:fs');
  const args = process.argv.slice(2);
  writeFileSync(__filename + '.json', JSON.stringify(args));
  const stack = args[args.indexOf('--output') + 1] + '/PlantStore';
  writeFileSync(stack + '.assets.json', '{}');
  writeFileSync(stack + '.template.json', '${JSON.stringify({ Resources: { ListPlants } })}');`;

/** A copy of the project, with programs in place of SAM CLI and of CDK's command line. */
const project = temporaryFolder();
const files = join(project, 'cdk.out', 'sam');
const cdkPackage = join(project, 'node_modules', 'aws-cdk');
const localPrograms = { cdk: join(cdkPackage, 'bin', 'cdk'), sam: join(project, 'sam.cjs') };

beforeAll(() => {
  copyProduct(project);
  rmSync(cdkPackage);
  mkdirSync(join(cdkPackage, 'bin'), { recursive: true });
  writeFileSync(join(cdkPackage, 'package.json'), '{}');
  writeFileSync(localPrograms.cdk, localCdk);
  writeFileSync(localPrograms.sam, localSam);
});

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

// Scripts of the shell, which note how they are called.
const note = 'echo "$@" >> "$0.calls"';
/** Has three containers of SAM CLI. One uses the database of this run. */
const docker = `${note}
case "$1" in
  info) echo 'x86_64 Docker Desktop' ;;
  ps) echo 0a1b2c; echo 1b2c3d; echo 2c3d4e ;;
  inspect)
    read -r file < cdk.out/sam/env-vars.json
    own=\${file#*'${variable}":"'}
    own=\${own%%'"'*}
    for row in 0a1b2c=http://127.0.0.1:1 1b2c3d="$own" 2c3d4e="$own"0; do
      echo "\${row%%=*} [\\"TZ=:UTC\\",\\"${variable}=\${row#*=}\\"]"
    done
    ;;
esac`;
const node = `'${process.execPath.replaceAll("'", `'\\''`)}'`;
const sam = `${note}; [ "$1" = --version ] || exec ${node} sam.cjs "$@"`;

/** Starts npm run sam with no other programs on its PATH than these. */
function startSam(programs: Record<string, string>, env = {}) {
  const folder = temporaryFolder();
  for (const [name, code] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${code}\n`, { mode: 0o755 });
  }
  const ports = ['--port', '0', '--dynamodb-port', '0'];
  const args = ['bin/sam.ts', '--memory', ...ports, '--', '--debug'];
  const variables = { ...process.env, PATH: folder, ...env };
  const options = { cwd: project, env: variables, detached: true };
  const started = startProgram(process.execPath, args, options);
  const calls = (name: string) => readFileSync(join(folder, `${name}.calls`), 'utf8');
  return { ...started, calls };
}

const testScripts = testOnPosix('it cannot start a script by its first line');

testScripts(
  'npm run sam gives SAM CLI a template without path metadata and no credentials, and removes the containers of this run that it leaves behind',
  async () => {
    const own = {
      AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'example',
      AWS_SESSION_TOKEN: 'example',
      AWS_PROFILE: 'work',
    };
    const { child, line, ended, calls } = startSam({ docker, sam }, own);
    await line(/SAM CLI prints several lines per request\./);
    // A terminal signals the whole group of processes, without SAM CLI.
    process.kill(-Number(child.pid), 'SIGWINCH');
    child.kill('SIGINT');
    await line(/^Stopping$/);
    // A second signal would abort the cleanup of SAM CLI.
    child.kill('SIGINT');
    expect(maskStart(await ended())).toMatchSnapshot();

    expect(readJson(`${localPrograms.cdk}.json`)).toEqual([
      ...['synth', '--quiet', '--no-path-metadata', '--output', files],
      ...['--context', 'plant-store:architecture=x86_64'],
    ]);
    expect(
      calls('sam')
        .replaceAll(files, 'FILES')
        .replace(/--port \d+/, '--port PORT'),
    ).toBe(
      '--version\n' +
        'local start-api --template FILES/PlantStore.template.json --port PORT ' +
        '--env-vars FILES/env-vars.json --warm-containers LAZY --debug\n',
    );
    expect(calls('docker').split('\n')).toEqual([
      'info --format {{.Architecture}} {{.OperatingSystem}}',
      'ps --all --quiet --filter label=sam.cli.container.type=lambda',
      'inspect --format {{.Id}} {{json .Config.Env}} 0a1b2c 1b2c3d 2c3d4e',
      'rm --force 1b2c3d',
      '',
    ]);
    const variables = Object.entries(readJson(`${localPrograms.sam}.json`));
    expect(Object.fromEntries(variables.filter(([name]) => name.startsWith('AWS_')))).toEqual({
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
      'error: SAM CLI cannot be started. Install it: https://docs.aws.amazon.com/serverless-application-model/\n',
  });
});
