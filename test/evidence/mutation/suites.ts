import type { RunFaulty } from '../faulty-copy.ts';
import type { Mutant } from './stryker.ts';

/**
 * The suites of CI that run real bundles, or the source as it is, by the files that they look at
 * most. The first line that fits a file counts, and its suites run in this order until one fails.
 */
export const suites: [files: RegExp, suites: string[]][] = [
  [/authorize/, ['access-tokens/service', 'bundles/start', 'faults/faults']],
  [/access-tokens|call-patterns/, ['access-tokens/service', 'fuzz/tokens', 'contract/contract']],
  [/stubs/, ['bundles/stubs', 'bundles/start', 'contract/contract']],
  [/prime|exercise|attribute/, ['bundles/start', 'bundles/cold-start', 'contract/contract']],
  [/writes|client|lighten/, ['bundles/stubs', 'faults/faults', 'faults/thaw']],
  [/store/, ['faults/faults', 'contract/contract']],
  [/kinds|fields|item\.ts/, ['items/kinds', 'contract/contract', 'fuzz/', 'openapi/']],
  [/function\.ts|-plants?\.ts/, ['bundles/start', 'contract/contract']],
  [
    /environment|log/,
    [
      'start/request-log',
      'bundles/start',
      'contract/contract',
      'access-tokens/service',
      // It has the limits that a throttled database names.
      'faults/faults',
    ],
  ],
  [/headers/, ['http/cors', 'contract/contract']],
  [/table-schema/, ['export-import/erase', 'stack/', 'contract/contract', 'faults/faults']],
  [/./, ['contract/contract', 'faults/faults', 'fuzz/', 'stack/', 'openapi/']],
];

/** Returns the first test that fails in a copy with a mutant, or undefined if none does. */
export async function findFailure(
  copy: RunFaulty,
  { file, source }: Mutant,
): Promise<string | undefined> {
  const [, names = []] = suites.find(([files]) => files.test(file)) ?? [];
  for (const name of names) {
    const failure = await copy(`test/${name}`, { [file]: source });
    if (failure) {
      return `${name}: ${failure.split('\n', 1)}`;
    }
  }
  return undefined;
}
