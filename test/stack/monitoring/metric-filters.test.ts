import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import {
  type Operation,
  operationNames,
  operations,
} from '../../../functions/shared/operations.ts';
import { functionOf } from '../../../lib/bundle.ts';
import { readTemplate } from '../../../lib/offline/template/template.ts';
import { startFixture } from '../../offline/fixture.ts';
import { finallyDo } from '../../support/cleanup.ts';
import { fail, pass, startFaultProxy, throttle } from '../../support/database/proxy.ts';
import { answersOf, eventOf } from '../../support/service/lambda-events.ts';
import { startService } from '../../support/service/service.ts';
import { filterPattern } from '../../support/stack/filter-pattern.ts';
import type { Template } from '../templates.ts';
import { propertiesOf } from '../templates.ts';
import { countsOf } from './metric-filters.ts';

// The filters of the template judge the lines that the functions and the emulator write.

const proxy = await startFaultProxy();
const service = await startService({ between: proxy.before });
finallyDo(service.stop);
const template: Template = JSON.parse(readFileSync(readTemplate(service.assembly).file, 'utf8'));

/** Calls an operation through the gateway. Returns the status and what the metrics count. */
async function call(operation: Operation, token: string) {
  const before = new Map(
    Object.entries(service.linesOf).map(([name, { length }]) => [name, length]),
  );
  const { httpMethod: method, path, body } = eventOf(operation);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(service.baseUrl + path, { method, headers, body });
  await answer.text();
  const counted: Record<string, object> = {};
  for (const [name, lines] of Object.entries(service.linesOf)) {
    const counts = countsOf(template, name, lines.slice(before.get(name)));
    if (Object.keys(counts).length > 0) {
      counted[name] = counts;
    }
  }
  return { status: answer.status, counted };
}

test.each(operationNames)('%s: no metric counts an answer without a fault', async (name) => {
  const token = await service.issue('anna');
  for (const creation of operationNames) {
    if (operations[creation].method === 'POST') {
      await call(creation, token);
    }
  }
  const { status, counted } = await call(name, token);
  expect({ name, status, isAnswer: answersOf(name).includes(status) }).toMatchObject({
    isAnswer: true,
  });
  expect(counted).toEqual({});
});

test.each(operationNames)(
  '%s: DatabaseUnavailable counts a database that throttles',
  async (name) => {
    const token = await service.issue('bert');
    proxy.play('bert', throttle);
    const counted = { [functionOf(name)]: { DatabaseUnavailable: 1 } };
    expect(await call(name, token)).toEqual({ status: 503, counted });
  },
);

test.each(operationNames)('%s: RequestFailed counts an unexpected error', async (name) => {
  const token = await service.issue('carl');
  proxy.play('carl', fail(400, 'AccessDeniedException'));
  expect(await call(name, token)).toEqual({
    status: 500,
    counted: { [functionOf(name)]: { RequestFailed: 1 } },
  });
});

test('TokenRefused counts a refused token, and AuthorizerFailed does not', async () => {
  const counted = { Authorizer: { TokenRefused: 1 } };
  const token = await service.issueRevoked('dora');
  expect(await call('listPlants', token)).toEqual({ status: 401, counted });
});

test('AuthorizerFailed counts a token that could not be checked', async () => {
  const token = await service.issue('emil');
  const [, id = ''] = token.split('_');
  proxy.play(id, throttle);
  const counted = { Authorizer: { AuthorizerFailed: 1 } };
  expect(await call('listPlants', token)).toEqual({ status: 503, counted });
  proxy.play(id, pass);
  expect(await call('listPlants', token)).toEqual({ status: 200, counted: {} });
});

test.each([
  ['throws an error', 0],
  ['exits with 3', 1],
  ['uses up its memory', 1],
  ['takes too long', 1],
])('FunctionFailed counts once a function that %s', async (what, failuresOfAuthorizer) => {
  const fixture = await startFixture();
  const path = what === 'takes too long' ? 'hasty' : 'fault';
  const body = JSON.stringify({ do: what });
  const answer = await fetch(`${fixture.origin}/v1/${path}`, { method: 'POST', body });
  expect(answer.status).toBe(502);
  const lines = fixture.log.map(({ line }) => line);
  expect(countsOf(template, 'ListPlants', lines)).toEqual({ FunctionFailed: 1 });
  // The authorizer throws to refuse a token.
  const counts = failuresOfAuthorizer === 1 ? { AuthorizerFailed: 1 } : {};
  expect(countsOf(template, 'Authorizer', lines)).toEqual(counts);
});

test('BilledMilliseconds adds up one report of each invocation, INIT included', async () => {
  const fixture = await startFixture();
  for (const what of ['nothing', 'throws an error']) {
    const body = JSON.stringify({ do: what });
    await fetch(`${fixture.origin}/v1/fault`, { method: 'POST', body });
  }
  const [filter] = propertiesOf(template, 'AWS::Logs::MetricFilter').filter(
    ({ MetricTransformations: [{ MetricName }] }) => MetricName === 'BilledMilliseconds',
  );
  expect(filter.MetricTransformations[0].MetricValue).toBe('$.record.metrics.billedDurationMs');
  const matched = fixture.log
    .map(({ line }) => line)
    .filter(filterPattern(filter.FilterPattern))
    .map((line) => JSON.parse(line).record.metrics);
  expect(matched).toHaveLength(2);
  for (const { billedDurationMs, durationMs, initDurationMs = 0 } of matched) {
    expect(billedDurationMs).toBeGreaterThan(durationMs + initDurationMs - 0.02);
  }
});

test('a filter pattern that the tests cannot evaluate is named', () => {
  expect(() => filterPattern('{ $.a IS NULL }')).toThrow('what "IS NULL }" means');
  expect(() => filterPattern('{ $.a = "x*" }')).toThrow('what "$.a = "x*"" means');
});

test.each([
  ['{ $.a = "x" }', true],
  ['{ $.a = 1 }', false],
  ['{ $.b.c >= 2 }', true],
  ['{ $.b.c < 2 }', false],
  ['{ $.none != "x" }', false],
  ['{ $.a = "y" || $.a = "x" && $.b.c = 2 }', true],
  ['{ ($.a = "x" || $.a = "y") && $.b.c = 3 }', false],
])('the filter pattern %s matches: %s', (pattern, matches) => {
  expect(filterPattern(pattern)('{"a":"x","b":{"c":2}}')).toBe(matches);
  expect(filterPattern(pattern)('text')).toBe(false);
});
