import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { root } from '../../../support/checkout.ts';
import { quartiles, type Ratio } from '../ratio.ts';
import type { Result } from '../targets.ts';

async function start(args: string[]): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child, line };
}

// What `npm start` runs, without its launcher.
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const [, , ...program] = scripts.start.split(' ');
const startEmulator = () =>
  start([...program, ...'--memory --json --port 0 --dynamodb-port 0'.split(' ')]);

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

/** Returns the megabytes that a process holds in memory. */
const memoryOf = ({ pid }: ChildProcess) =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' })) / 1024;

/** Measures how soon `npm start` is ready, what memory it takes, and how much it serves. */
export async function measureEmulator(): Promise<Result[]> {
  const { ready, idle } = await measureStart();
  const { ratios, megabytes } = await measureServed();
  const served = 'requests/s of a bare server with the same database call / those of npm start';
  return [
    { title: 'npm start: to ready, the second time, in s', ...ready, atMost: 0.8 },
    { title: 'npm start: memory after its first answer, in MB', ...idle, atMost: 200 },
    {
      title: 'npm start: memory under 200 connections, in MB',
      ...quartiles(megabytes),
      atMost: 430,
    },
    // It serves one person, so this only shows a regression.
    { title: `20 connections: ${served}`, ...quartiles(ratios), atMost: 1 / 0.35 },
  ];
}

/**
 * Compares `npm start` with a bare server. Both start anew three times, because one round or start
 * can differ from the next by a tenth. Measures the memory of `npm start` under load too.
 */
async function measureServed(): Promise<{ ratios: number[]; megabytes: number[] }> {
  const connections = 20;
  const ratios: number[] = [];
  const megabytes: number[] = [];
  for (let time = 0; time < 3; time++) {
    const emulator = await startEmulator();
    const { baseUrl, token, dynamodbEndpoint } = JSON.parse(emulator.line);
    const bare = await start([join(import.meta.dirname, 'bare-server.ts'), dynamodbEndpoint]);
    const list = `${baseUrl}/plants`;
    // The first round warms both up.
    for (let round = 0; round < 5; round++) {
      const others = await requestsPerSecond(bare.line, token, connections, 2);
      const ratio = others / (await requestsPerSecond(list, token, connections, 2));
      if (round > 0) {
        ratios.push(ratio);
      }
    }
    for (let round = 0; round < 3; round++) {
      await requestsPerSecond(list, token, 200, 1);
      megabytes.push(memoryOf(emulator.child));
    }
    await Promise.all([stop(emulator.child), stop(bare.child)]);
  }
  return { ratios, megabytes };
}

/** Measures the seconds until `npm start` is ready, less what Node itself takes to start. */
async function measureStart(): Promise<{ ready: Ratio; idle: Ratio }> {
  // The first start keeps the assembly for the next one.
  await stop((await startEmulator()).child);
  const seconds: number[] = [];
  const megabytes: number[] = [];
  for (let i = 0; i < 5; i++) {
    const began = performance.now();
    const { child, line } = await startEmulator();
    const ready = performance.now();
    const { baseUrl, token } = JSON.parse(line);
    await requestsPerSecond(`${baseUrl}/plants`, token, 1, 0.1);
    megabytes.push(memoryOf(child));
    await stop(child);
    const nodeBegan = performance.now();
    await once(spawn(process.execPath, ['-e', '0']), 'exit');
    seconds.push((ready - began - (performance.now() - nodeBegan)) / 1000);
  }
  return { ready: quartiles(seconds), idle: quartiles(megabytes) };
}

async function requestsPerSecond(url: string, token: string, connections: number, seconds: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = { Authorization: `Bearer ${token}` };
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const connection = async () => {
    while (performance.now() < end) {
      const [response] = await once(get(url, { agent, headers }), 'response');
      if (response.statusCode !== 200) {
        throw new Error(`${url} answered ${response.statusCode}.`);
      }
      await once(response.resume(), 'end');
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  agent.destroy();
  return count / seconds;
}
