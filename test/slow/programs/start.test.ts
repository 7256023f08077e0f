import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from '@jest/globals';
import { examplePlant } from '../../../bin/command-line/example-plant.ts';
import { findRunning } from '../../../bin/command-line/running.ts';
import { localClient } from '../../../lib/offline/database-client.ts';
import { copyProject, root } from '../../support/checkout.ts';
import { finallyDo, temporaryFolder } from '../../support/cleanup.ts';
import { testOnPosix } from '../../support/posix.ts';
import { startNpmStart, startProgram } from '../../support/program.ts';

const launcher = ['bin/node24.mjs'];
const start = async (args: string[], cwd = root) => {
  const store = await startNpmStart(args, { cwd, launcher });
  const stop = () => {
    // Under npm, a terminal's Ctrl-C arrives twice.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      store.child.kill(signal);
    }
    return store.ended();
  };
  let read = 0;
  /** Waits for a line on stderr that follows the last one waited for. */
  const says = async (form: RegExp) => {
    const find = () => new RegExp(form, 'm').exec(store.output.stderr.slice(read));
    const found = await store.comes(`a line like ${form}`, find);
    read += Number(found?.index) + `${found}`.length;
  };
  return { ...store, stop, says };
};

/** Returns what a program writes to stderr if it refuses to start. */
async function refused(...args: string[]): Promise<string> {
  const program = startProgram(process.execPath, [...launcher, 'bin/start.ts', ...args]);
  const { code, stdout, stderr } = await program.ended();
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  return stderr;
}

const testSignals = testOnPosix('a process cannot handle the signals of another one there');

testSignals(
  'it keeps its data, shares no folder or port, and ends despite open connections',
  async () => {
    const data = join(temporaryFolder(), 'store');
    const store = await start(['--data', data]);
    const { baseUrl, token, dynamodbEndpoint } = store;
    expect(store.output.stdout).toBe(`${JSON.stringify({ baseUrl, token, dynamodbEndpoint })}\n`);
    expect((await store.create({ id: 1, ...examplePlant })).status).toBe(201);

    expect(statSync(data).mode & 0o777).toBe(0o700);
    await fetch(`${baseUrl}/plants`);
    await store.says(/GET {4}\/v1\/plants 401 \d+ ms unauthorized, no Authorization header$/);

    const portOf = (url: string) => new URL(url).port;
    const ports = ['--port', portOf(baseUrl), '--dynamodb-port', portOf(dynamodbEndpoint)];
    const announced = findRunning(data);
    expect(announced).toMatchObject({ baseUrl, dynamodbEndpoint });
    const taken = (url: string) => `Port ${portOf(url)} is taken: another program listens on it.`;
    expect(
      await Promise.all([
        refused('--data', data, ...ports),
        refused('--memory', ...ports),
        refused('--memory', '--port', '0', '--dynamodb-port', portOf(dynamodbEndpoint)),
      ]),
    ).toEqual([
      `error: An "npm start" with ${data} runs already, at ${baseUrl}. Use that one, or end it ` +
        `with "kill ${announced?.processId}", or start another beside it with ` +
        '"npm start -- --memory --port 0 --dynamodb-port 0".\n',
      `error: ${taken(baseUrl)} Choose another with --port. ` +
        `${taken(dynamodbEndpoint)} Choose another with --dynamodb-port.\n`,
      `error: ${taken(dynamodbEndpoint)} Choose another with --dynamodb-port.\n`,
    ]);

    // A connection that says nothing, to each port, and half a request.
    const sockets = [baseUrl, dynamodbEndpoint, baseUrl].map((url) =>
      // The end of the server may reset it.
      connect(Number(portOf(url)), '127.0.0.1').on('error', () => undefined),
    );
    const connected = Promise.all(sockets.map((socket) => once(socket, 'connect')));
    await store.comes('a connection', connected);
    sockets[2]?.write('POST /v1/plants HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    expect((await store.stop()).code).toBe(0);
    expect(existsSync(join(data, 'running.json'))).toBe(false);

    const again = await start(['--data', data]);
    const list = await fetch(`${again.baseUrl}/plants`, { headers: store.headers });
    expect(await list.json()).toEqual([examplePlant]);
    expect((await again.stop()).code).toBe(0);
  },
);

/** Writes a file as vim, git and sed -i do. */
function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}~`, text);
  renameSync(`${path}~`, path);
}

testSignals('with --watch it serves what has changed, however that was written', async () => {
  const folder = temporaryFolder();
  copyProject(folder);
  const change = (file: string, from: string, to: string, write = replaceFile) => {
    const text = readFileSync(join(folder, file), 'utf8');
    if (!text.includes(from)) {
      throw new Error(`${file} has no ${from}`);
    }
    write(join(folder, file), text.replace(from, to));
  };
  const store = await start(['--memory', '--watch'], folder);
  expect((await store.create({ id: 1, ...examplePlant })).status).toBe(201);
  const list = async () => {
    const response = await store.list();
    expect(await response.json()).toEqual([examplePlant]);
    return response;
  };
  const served = /^New requests meet the new functions, after \d+\.\d s\.$/;
  const said = async (what: string) => {
    await store.says(new RegExp(`^${what} …$`));
    await store.says(served);
  };
  const bundled = () => said('Functions have changed: bundling');
  const synthesized = () => said('The stack has changed: synthesizing');

  // A synthesis would take most of the second in which a change of a function is to be served.
  const handler = 'functions/plants/list.ts';
  change(handler, 'status: 200', 'status: 206', writeFileSync);
  await bundled();
  expect((await list()).status).toBe(206);
  change(handler, 'status: 206', 'status: 203');
  await bundled();
  expect((await list()).status).toBe(203);

  // These are in the functions and in the template.
  change('functions/shared/headers.ts', "'no-store'", "'no-cache'");
  await synthesized();
  expect((await list()).headers.get('cache-control')).toBe('no-cache');
  const unknown = await fetch(`${store.baseUrl}/unknown`);
  expect([unknown.status, unknown.headers.get('cache-control')]).toEqual([404, 'no-cache']);

  change('cdk.json', '"context": {', '"context": { "plant-store:cors-origin": "*",');
  await synthesized();
  expect((await list()).headers.get('access-control-allow-origin')).toBe('*');
  change('lib/bundle.ts', "platform: 'node'", "define: { pageOf: '0' }, platform: 'node'");
  await store.says(/^The stack has changed: synthesizing …$/);
  // What changes during a synthesis is bundled as the new stack bundles.
  change(handler, 'status: 203', 'status: 202 + pageOf');
  await bundled();
  expect((await list()).status).toBe(202);

  change(handler, 'status: 202', 'status: ,');
  await store.says(/^The functions stay as they were: /);
  expect((await list()).status).toBe(202);
  change(handler, 'status: ,', 'status: 206');
  await bundled();
  expect((await list()).status).toBe(206);

  const file = 'lib/plant-store-stack.ts';
  const output = "    new CfnOutput(this, 'BaseUrl'";
  change(file, 'import ', "import { Queue } from 'aws-cdk-lib/aws-sqs';\nimport ");
  await synthesized();
  const queue = "new Queue(this, 'Added');";
  change(
    file,
    output,
    `${queue}
    const partitionKey = { name: 'name', type: 'S' as never };
    const plants = this.node.findChild('Tables').node.findChild('Plants') as any;
    plants.addGlobalSecondaryIndex({ indexName: 'ByName', partitionKey });
    ${output}`,
  );
  await store.says(/^Not imitated here: AWS::SQS::Queue Added\w+\. See docs\/imitates\.md\.$/);
  await store.says(served);
  const client = localClient(store.dynamodbEndpoint);
  finallyDo(() => client.destroy());
  const query = new QueryCommand({
    TableName: 'Plants',
    IndexName: 'ByName',
    KeyConditionExpression: '#name = :name',
    ExpressionAttributeNames: { '#name': 'name' },
    ExpressionAttributeValues: { ':name': { S: 'Monstera' } },
  });
  const item = expect.objectContaining({ id: { N: '1' } });
  expect((await client.send(query)).Items).toEqual([item]);
  const layers =
    "(this.node.findChild('CreatePlant').node.defaultChild as any).addPropertyOverride";
  change(file, queue, `${layers}('Layers', ['x']);`);
  await store.says(/^The functions stay as they were: CreatePlant\.Layers: the emulator does not /);
  expect((await store.create({ id: 2, ...examplePlant })).status).toBe(201);

  change('lib/offline/emulator.ts', 'import', '//\nimport');
  await store.says(/^The code of npm start itself has changed: start it again to use it\.$/);
  expect((await store.stop()).code).toBe(0);
});

test('the next removes what a killed one leaves, whatever has its process id', async () => {
  const data = join(temporaryFolder(), 'store');
  const work = join(root, 'node_modules', '.cache', 'plant-store-work');
  const before = existsSync(work) ? readdirSync(work) : [];
  const store = await start(['--data', data]);
  const [left = ''] = readdirSync(work).filter((name) => !before.includes(name));
  const announced = findRunning(data);
  process.kill(announced?.processId ?? 0, 'SIGKILL');
  await store.ended();
  expect(existsSync(join(work, left))).toBe(true);
  const reused = { ...announced, processId: process.pid };
  writeFileSync(join(data, 'running.json'), JSON.stringify(reused));
  const next = await start(['--data', data]);
  expect(existsSync(join(work, left))).toBe(false);
  await next.stop();
});

testOnPosix('it has no sh of its own')('the lines to paste that it prints work', async () => {
  const ports = ['--port', '0', '--dynamodb-port', '0'];
  const args = [...launcher, 'bin/start.ts', '--memory', ...ports];
  const program = startProgram(process.execPath, args);
  await program.line(/^Ctrl-C ends it/);
  const curls = program.lines.filter((line) => line.startsWith('  curl '));
  const paste = (line: string) =>
    `${spawnSync('sh', ['-c', `${line} -s -o /dev/null -w '%{http_code}'`]).stdout}`;
  expect(curls.map(paste)).toEqual(['201', '200', '204']);
});

test.each([
  ['--port x', '--port <n>', ' A port is 0 to 65535; 0 is any free one.'],
  ['-c x=*', '-c, --context <setting>', ' Write it into cdk.json, under "context".'],
  ['--data --memory', '--data <folder>', ' Put a value before --memory.'],
  ['--data=', '--data <folder>', ' Name a folder.'],
  ['--memory --data x', '--memory', " cannot be used with option '--data <folder>'"],
])('%s is refused with one line', async (options, option, message) => {
  const stderr = await refused(...options.split(' '));
  expect(stderr).toMatch(/^error: .*\n$/);
  expect(stderr).toContain(`error: option '${option}'`);
  expect(stderr).toContain(`${message}\n`);
});
