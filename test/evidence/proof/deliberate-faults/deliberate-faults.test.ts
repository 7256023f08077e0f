import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../support/cleanup.ts';
import { root } from '../../../support/project.ts';
import { countOf } from '../../../support/proof/check.ts';
import { report } from '../../../support/proof/report.ts';
import { faultyCopy } from '../../faulty-copy.ts';
import { deliberateFaults } from './faults.ts';

let findFailure: ReturnType<typeof faultyCopy>;
beforeAll(() => {
  findFailure = faultyCopy(temporaryFolder());
});

test.each(deliberateFaults.slice(0, countOf({ whole: deliberateFaults.length })))(
  '$what: $suite fails',
  async ({ what, file, changes, suite }) => {
    const startedAt = performance.now();
    const path = join('functions', file);
    const faulty = changes.reduce(
      (text, [part, instead]) => {
        expect(text.split(part)).toHaveLength(2);
        return text.replace(part, () => instead);
      },
      readFileSync(join(root, path), 'utf8'),
    );
    const failure = (await findFailure(suite, path, faulty)) ?? 'none';
    expect(failure).not.toMatch(/^none$|^did not end|SyntaxError|Build failed/);
    const [failed] = failure.split(/\.?\n/, 1);
    const outcome = `Caught by \`${suite.replace('.test.ts', '')}\`: ${failed}.`;
    report(
      { topic: 'Deliberate faults', tried: what, count: 1, unit: 'fault', outcome },
      startedAt,
    );
  },
);
