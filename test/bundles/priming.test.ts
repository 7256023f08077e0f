import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test as testInTurn } from '@jest/globals';
import { bundle, entries } from '../../lib/bundle.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { eventFor } from '../support/service/lambda-events.ts';
import { runFunction } from './function-process.ts';

// At the same time, because they do little but wait.
const test = testInTurn.concurrent;

const bundles = temporaryFolder();
bundle(bundles);

describe.each(entries)('the start of %s', (entry) => {
  test('signs a request, makes a TLS context, sends nothing and logs nothing', async () => {
    const { atStart } = await runFunction(join(bundles, entry));
    const { signatures, waitedMs: _, ...rest } = atStart;
    expect(rest).toEqual({ connections: 0, secureContexts: 1, log: [] });
    expect(signatures).toBeGreaterThan(0);
  });

  test('makes no TLS context for a database without TLS', async () => {
    const { atStart } = await runFunction(join(bundles, entry), { endpoint: 'http://127.0.0.1:9' });
    expect(atStart).toMatchObject({ connections: 0, secureContexts: 0, log: [] });
  });

  test('logs what fails and does not throw it', async () => {
    const broken = join(bundles, `${entry}-broken`);
    cpSync(join(bundles, entry), broken, { recursive: true });
    // The client cannot sign without a region.
    writeFileSync(join(broken, 'start.mjs'), `delete process.env.AWS_REGION;\n`);
    appendFileSync(
      join(broken, 'start.mjs'),
      `const { default: bundle } = await import('./index.js');
       await bundle.prime();
       process.env.AWS_REGION = 'eu-central-1';
       export const handler = bundle.handler;`,
    );
    const { atStart, answers } = await runFunction(broken, { events: [eventFor(entry)] });
    expect(atStart.log.length).toBeGreaterThan(0);
    for (const line of atStart.log) expect(line).toMatchObject({ code: 'PRIMING_FAILED' });
    expect(answers).toHaveLength(1);
  });
});

test('each start ends in half the time that Lambda gives it, even without an answer', async () => {
  await Promise.all(
    entries.map(async (entry) => {
      const silent = join(bundles, `${entry}-silent`);
      cpSync(join(bundles, entry), silent, { recursive: true });
      const code = readFileSync(join(silent, 'index.js'), 'utf8');
      // The connection in memory no longer sees where a request begins.
      writeFileSync(join(silent, 'index.js'), code.replace('POST /', 'NONE /'));
      const { atStart } = await runFunction(silent);
      expect(atStart.waitedMs).toBeGreaterThan(0);
      expect(atStart.waitedMs).toBeLessThan(5000);
      expect(atStart.log).toContainEqual(expect.objectContaining({ code: 'PRIMING_FAILED' }));
    }),
  );
});
