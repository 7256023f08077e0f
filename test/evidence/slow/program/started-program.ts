import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { finallyDo } from '../../../support/cleanup.ts';
import { eventually } from '../../../support/eventually.ts';
import { root } from '../../../support/project.ts';

/** Starts the program of `npm start`, without the launcher that would outlive it. */
export async function startProgram(data: string) {
  const ports = ['--port', '0', '--dynamodb-port', '0'];
  const child = spawn(process.execPath, ['bin/local.ts', '--json', '--data', data, ...ports], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  finallyDo(() => child.kill('SIGKILL'));
  const stderr = text(child.stderr);
  const ended = once(child, 'exit').then(async ([code]) => ({ code, stderr: await stderr }));
  const ready = once(createInterface({ input: child.stdout }), 'line');
  const started = await eventually('a ready npm start', Promise.race([ready, ended]), {
    seconds: 120,
  });
  if (!Array.isArray(started)) throw Object.assign(new Error(started.stderr), started);
  const { baseUrl, token } = JSON.parse(started[0]);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const { origin } = new URL(baseUrl);
  return {
    baseUrl,
    headers,
    pid: Number(child.pid),
    create: (id: number, tag = '') =>
      fetch(`${baseUrl}/plants`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ id, name: `${id}`, tag }),
      }),
    remove: (id: number) => fetch(`${baseUrl}/plants/${id}`, { method: 'DELETE', headers }),
    /** Follows the links to the end. */
    async list(): Promise<number[]> {
      const ids: number[] = [];
      for (let url: string | undefined = `${baseUrl}/plants`; url; ) {
        const answer: Response = await fetch(url, { headers });
        for (const { name } of (await answer.json()) as { name: string }[]) ids.push(Number(name));
        const [, next] = /^<(.*)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? [];
        url = next && `${origin}${next}`;
      }
      return ids;
    },
    /** Ends the program, and returns its exit code with what it printed for people. */
    end(signal: 'SIGKILL' | 'SIGTERM' = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}
