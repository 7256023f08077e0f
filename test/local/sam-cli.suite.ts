import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { temporaryFolder } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/http/free-port.ts';
import { testOnPosix } from '../support/posix.ts';
import { type Program, startProgram } from '../support/program.ts';

/** Stops at SIGINT only, like SAM CLI. Without a status, the functions never respond. */
const sam = `
  const { writeFileSync } = require('node:fs');
  const { PORT, STATUS } = process.env;
  const parent = process.ppid;
  // Exits with the test, but handles a signal that came before.
  setInterval(() => process.ppid === parent || setImmediate(() => process.exit()), 100);
  process.on('SIGINT', () => {
    writeFileSync(__filename + '.stopped', '');
    process.exit();
  });
  const server = require('node:http').createServer((_, response) => {
    console.error('GET');
    if (STATUS) {
      response.writeHead(Number(STATUS)).end();
    }
  });
  server.listen(PORT, '127.0.0.1', () => console.error(' * Running on http://127.0.0.1'));`;

/** Starts SAM CLI. A line on stdin is what happens to this program then. */
const program = `
  import('./lib/local/sam/sam-cli.ts').then(async (samCli) => {
    const sam = samCli.startSamCli([], () => console.error('Cleaned up'));
    await samCli.waitUntilListening(sam);
    const ends = { 'an error': () => process.exit(1), disconnect: () => process.disconnect() };
    process.stdin.once('data', (line) => ends[line.toString().trim()]());
    const baseUrl = 'http://127.0.0.1:' + process.env.PORT;
    if (await samCli.functionsRespond(sam, baseUrl, 'token')) {
      console.log('Ready');
    }
  });`;

/** Runs the program with this script as `sam` in a folder on its PATH. */
function start(folder: string, script: string, variables = {}): Program {
  writeFileSync(join(folder, 'sam'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: folder, ...variables };
  return startProgram(process.execPath, ['--eval', program], { env });
}

/** Runs the program with the SAM CLI above. */
async function startAll(folder: string, variables = {}): Promise<Program> {
  writeFileSync(join(folder, 'sam.cjs'), sam);
  const node = process.execPath.replaceAll("'", `'\\''`);
  const PORT = `${await freePort()}`;
  return start(folder, `exec '${node}' "$0.cjs"`, { PORT, ...variables });
}

const testScripts = testOnPosix('it cannot start a script by its first line');

const write = (text: string) => (program: Program) => program.child.stdin.write(text);
const kill = (signal: NodeJS.Signals) => (program: Program) => program.child.kill(signal);
testScripts.each([
  ['a closed terminal', kill('SIGHUP'), 0, 'Cleaned up\n'],
  ['SIGTERM', kill('SIGTERM'), 0, 'Cleaned up\n'],
  ['the end of the launcher', write('disconnect\n'), 0, 'Cleaned up\n'],
  ['an error of its own', write('an error\n'), 1, ''],
])('until the functions respond, npm run sam stops SAM CLI at %s', async (_, end, code, stderr) => {
  const folder = temporaryFolder();
  const started = await startAll(folder);
  await started.line(/^GET$/);
  end(started);
  expect(await started.ended()).toEqual({
    code,
    stdout: '',
    stderr: ` * Running on http://127.0.0.1\nGET\n${stderr}`,
  });
  await eventually('the end of SAM CLI', () => existsSync(join(folder, 'sam.cjs.stopped')));
});

testScripts('if the functions fail, SAM CLI stops, and an error says so', async () => {
  const { ended } = await startAll(temporaryFolder(), { STATUS: '502' });
  expect(await ended()).toEqual({
    code: 1,
    stdout: '',
    stderr:
      ' * Running on http://127.0.0.1\nGET\n' +
      'error: GET /plants returned 502. See the output of SAM CLI above. If the image of the functions cannot be pulled: npm run sam -- -- --skip-pull-image\n' +
      'Cleaned up\n',
  });
});

testScripts('if SAM CLI does not start, its output and an error say so', async () => {
  const { ended } = start(temporaryFolder(), 'echo "No such option"; exit 2');
  expect(await ended()).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'No such option\nCleaned up\nerror: SAM CLI exited with code 2. See its output above.\n',
  });
});
