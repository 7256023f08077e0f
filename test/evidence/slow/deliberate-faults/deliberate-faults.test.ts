import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../support/cleanup.ts';
import { root } from '../../../support/project.ts';
import { countOf } from '../../../support/report/property.ts';
import { report } from '../../../support/report/report.ts';
import { faultyCopy } from '../../faulty-copy.ts';
import { deliberateFaults } from './faults.ts';

const findFailure = faultyCopy(temporaryFolder());
const startedAt = performance.now();
const found: string[] = [];
afterAll(() =>
  report(
    {
      topic: 'Deliberate faults',
      tried: found.join('; '),
      count: found.length,
      unit: 'faults',
      outcome: 'A test failed for each, other than by a crash or a time-out.',
      command: 'npm run proof -- test/evidence/slow/deliberate-faults',
    },
    startedAt,
  ),
);

/** Returns the contents of files that plant a fault. */
function filesOf({
  file,
  imported,
  wrappers,
}: (typeof deliberateFaults)[number]): Record<string, string> {
  const path = join('functions', file);
  const source = readFileSync(join(root, path), 'utf8');
  const [sound, wrapper] = ['.sound.ts', '.wrapper.ts'].map((end) => path.replace(/\.ts$/, end));
  const nameOf = (path = '') => `./${path.split('/').at(-1)}`;
  const exports = Object.entries(wrappers).map(
    ([name, wrap]) => `export const ${name} = (${wrap})(sound.${name});\n`,
  );
  const wrapping = (module: string) =>
    `export * from '${module}';\nimport * as sound from '${module}';\n${exports.join('')}`;
  if (!imported) return { [`${sound}`]: source, [path]: wrapping(nameOf(sound)) };
  const importing = source.replace(`from '${imported}'`, `from '${nameOf(wrapper)}'`);
  expect(importing).not.toBe(source);
  return { [`${wrapper}`]: wrapping(imported), [path]: importing };
}

test.each(deliberateFaults.slice(0, countOf({ whole: deliberateFaults.length })))(
  '$what: $suite fails',
  async (fault) => {
    const failure = (await findFailure(fault.suite, filesOf(fault))) ?? 'none';
    expect(failure).not.toMatch(/^none$|^did not end|SyntaxError|Build failed/);
    process.stdout.write(`${fault.what}: ${fault.suite} says: ${failure.split('\n', 1)}\n`);
    found.push(fault.what);
  },
);
