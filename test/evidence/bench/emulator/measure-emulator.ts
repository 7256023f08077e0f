import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { root } from '../../../support/project.ts';
import { quartiles, type Ratio } from '../ratio.ts';

async function start(args: string[]): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child, line };
}

const startEmulator = () =>
  start('bin/local.ts --memory --json --port 0 --dynamodb-port 0'.split(' '));

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

/** Returns the seconds until `npm start` is ready, less what Node itself takes to start. */
export async function measureReady(): Promise<Ratio> {
  // The first start keeps the assembly for the next one.
  await stop((await startEmulator()).child);
  const seconds: number[] = [];
  for (let i = 0; i < 5; i++) {
    const began = performance.now();
    const { child } = await startEmulator();
    const ready = performance.now();
    await stop(child);
    const nodeBegan = performance.now();
    await once(spawn(process.execPath, ['-e', '0']), 'exit');
    seconds.push((ready - began - (performance.now() - nodeBegan)) / 1000);
  }
  return quartiles(seconds);
}

const connections = 50;

/** Returns how many lists a second a bare server answers for each one that the emulator answers. */
export async function measureEmulator(): Promise<Ratio> {
  const emulator = await startEmulator();
  const { baseUrl, token, dynamodbEndpoint } = JSON.parse(emulator.line);
  const bare = await start([join(import.meta.dirname, 'bare-server.ts'), dynamodbEndpoint]);
  const list = () => requestsPerSecond(`${baseUrl}/plants`, token);
  const ratios: number[] = [];
  // The first round warms both up.
  for (let round = 0; round < 5; round++) {
    const ratio = (await requestsPerSecond(bare.line, token)) / (await list());
    if (round > 0) ratios.push(ratio);
  }
  await Promise.all([stop(emulator.child), stop(bare.child)]);
  return quartiles(ratios);
}

async function requestsPerSecond(url: string, token: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = { Authorization: `Bearer ${token}` };
  const seconds = 2;
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const connection = async () => {
    while (performance.now() < end) {
      const [response] = await once(get(url, { agent, headers }), 'response');
      if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}.`);
      await once(response.resume(), 'end');
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  agent.destroy();
  return count / seconds;
}
