import { expect, test } from '@jest/globals';
import { allScopes } from '../../functions/shared/operations.ts';
import { readPage } from './page.ts';

test('docs/access-tokens.md says what each scope allows', () => {
  const told = readPage('docs/access-tokens.md').matchAll(/`--scope ([^`]+)`/g);
  expect([...told].map(([, scope]) => scope).sort()).toEqual(allScopes.toSorted());
});
