import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { patternsFor, policyOf } from '../../functions/access-tokens/policy.ts';
import { requireDistinctPatterns } from '../../lib/constructs/scopes.ts';
import { isAllowed } from '../../lib/offline/token-authorizer.ts';

const stage = 'arn:aws:execute-api:eu-west-1:123456789012:api/v1';

interface Row {
  method: string;
  path: string;
  scope: string;
}

/** Returns the operation that the gateway would route a call to. A literal has precedence. */
function routed(rows: Row[], method: string, path: string): Row | undefined {
  return rows
    .filter((row) => row.method === method)
    .filter((row) => new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`).test(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1))[0];
}

/** Returns every path of up to so many segments. */
function pathsOf(segments: string[], depth: number): string[] {
  if (depth === 1) {
    return segments;
  }
  const shorter = pathsOf(segments, depth - 1);
  return [...segments, ...shorter.flatMap((path) => segments.map((first) => `${first}/${path}`))];
}

const sent = pathsOf(['a', 'b', 'other'], 4).flatMap((path) => [path, `${path}/`]);

/** Returns the first call whose verdict is not that of its scope, for tokens of any scopes. */
function firstWrong(rows: Row[]): string | undefined {
  const scopes = [...new Set(rows.map(({ scope }) => scope))];
  const sets = Array.from({ length: 2 ** scopes.length }, (_, bits) =>
    scopes.filter((_, i) => bits & (1 << i)),
  );
  const methods = [...new Set(rows.map(({ method }) => method))];
  const calls = methods.flatMap((method) =>
    sent.flatMap((path) => {
      const row = routed(rows, method, path);
      return row ? { call: `${method}/${path}`, row } : [];
    }),
  );
  for (const set of sets) {
    const policy = policyOf(patternsFor(set, rows), `${stage}/GET/a`);
    for (const { call, row } of calls) {
      if (isAllowed(policy, `${stage}/${call}`) !== set.includes(row.scope)) {
        return `${set.join('+')}: ${call}`;
      }
    }
  }
  return undefined;
}

function refusalOf(rows: Row[]): string | undefined {
  try {
    requireDistinctPatterns(Object.fromEntries(rows.map((row, i) => [`operation${i}`, row])));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const segment = fc.constantFrom('a', 'b', '{x}');
const row = fc.record({
  method: fc.constantFrom('GET', 'DELETE'),
  path: fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/')),
  scope: fc.constantFrom('one', 'two', 'three'),
});
const tables = fc.uniqueArray(row, {
  minLength: 2,
  maxLength: 5,
  selector: ({ method, path }) => `${method} ${path}`,
});

test('a policy allows what its scopes allow and nothing else, or synthesis refuses', () => {
  fc.assert(
    fc.property(tables, (rows) => {
      const wrong = firstWrong(rows);
      const refusal = refusalOf(rows);
      expect({ rows, wrong, isRefused: refusal !== undefined }).toEqual({
        rows,
        wrong: refusal === undefined ? undefined : expect.any(String),
        isRefused: wrong !== undefined,
      });
    }),
    { numRuns: 100 },
  );
});

const plant = { method: 'DELETE', path: 'plants/{id}', scope: 'plants:write' };
const plants = { method: 'GET', path: 'plants', scope: 'plants:read' };
const watering = { ...plant, path: 'plants/{id}/waterings/{time}', scope: 'waterings:write' };
const note = { ...plant, path: `${watering.path}/notes/{number}` };

test('a scope does not cover deeper paths of another scope', () => {
  expect(patternsFor(['plants:write'], [plants, plant, watering])).toEqual({
    allowed: ['DELETE/plants/*'],
    denied: ['DELETE/plants/*/waterings/*'],
  });
  expect(patternsFor(['waterings:write'], [plants, plant, watering]).denied).toEqual([]);
});

test('a scope does not cover a list with a slash at its end', () => {
  const read = { method: 'GET', path: 'plants/{id}', scope: 'plants:read-one' };
  expect(patternsFor(['plants:read-one'], [plants, read])).toEqual({
    allowed: ['GET/plants/*'],
    denied: ['GET/plants', 'GET/plants/'],
  });
});

test('scopes that alternate by depth are refused by the names of two operations', () => {
  const operations = { deletePlant: plant, deleteWatering: watering, deleteNote: note };
  expect(() => requireDistinctPatterns(operations)).toThrow(
    'deleteWatering and deleteNote cannot have different scopes: DELETE/plants/*/waterings/* ' +
      'matches the calls of both, and a policy of API Gateway has no other pattern for them. ' +
      'Give both the same scope, or one of them another path.',
  );
  requireDistinctPatterns({ ...operations, deleteNote: { ...note, scope: watering.scope } });
});

test('a literal path beside a parameter can have another scope', () => {
  const read = { method: 'GET', path: 'plants/{id}', scope: 'plants:read-one' };
  const totals = { method: 'GET', path: 'plants/totals', scope: 'totals:read' };
  requireDistinctPatterns({ readPlant: read, readTotals: totals });
  expect(patternsFor(['totals:read'], [read, totals])).toEqual({
    allowed: ['GET/plants/totals', 'GET/plants/totals/'],
    denied: [],
  });
  expect(patternsFor(['plants:read-one'], [read, totals])).toEqual({
    allowed: ['GET/plants/*'],
    denied: ['GET/plants/totals', 'GET/plants/totals/'],
  });
});

test('a policy that denies nothing has no statement that denies', () => {
  const { Statement } = policyOf({ allowed: ['GET/a'], denied: [] }, `${stage}/GET/a`);
  expect(Statement).toEqual([
    { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: [`${stage}/GET/a`] },
  ]);
});
