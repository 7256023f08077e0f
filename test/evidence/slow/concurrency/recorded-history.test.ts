import { expect, test } from '@jest/globals';
import { answered } from '../../../support/plant.ts';
import { startHistory } from './recorded-history.ts';

/** `Operation status`, of a client. Those of one line are made at once, those of two in turn. */
type Line = string[];

const listOf = (...names: string[]) => JSON.stringify(names.map((name) => answered({ name })));
const [aloe, ficus, twice] = [listOf('7-Aloe'), listOf('7-Ficus'), listOf('7-Aloe', '7-Aloe')];

/** Records calls as if they had been answered like that. */
async function violationOf(lines: Line[]): Promise<string | undefined> {
  const history = startHistory();
  for (const line of lines) {
    const gate = Promise.withResolvers<void>();
    const calls = line.map((call) => {
      const [operation = '', status, body = '', fault] = call.split(' = ');
      const made = history.record(operation, operation === 'list' ? undefined : 7, async () => {
        await gate.promise;
        return { status: Number(status), body };
      });
      return { made, fault };
    });
    if (calls.some(({ fault }) => fault)) history.beginFault('restart');
    history.endFault();
    gate.resolve();
    await Promise.all(calls.map(({ made }) => made));
  }
  return history.violation();
}

const [createAloe, createFicus] = ['create 7-Aloe', 'create 7-Ficus'];
const none = 'list = 200 = []';
const listsAloe = `list = 200 = ${aloe}`;

test.each<[what: string, lines: Line[]]>([
  ['a create, a list, a delete', [[`${createAloe} = 201`], [listsAloe], ['delete = 204'], [none]]],
  [
    'a create at once with a list that misses it',
    [[`${createAloe} = 201`, none], ['delete = 204'], [none]],
  ],
  [
    'two creates and a delete between them',
    [[`${createAloe} = 201`, 'delete = 204', `${createFicus} = 201`], [`list = 200 = ${ficus}`]],
  ],
  ['a create in doubt that took effect', [[`${createAloe} = 503 =  = restart`], [listsAloe]]],
  [
    'a create in doubt that takes effect after its answer',
    [[`${createAloe} = 503 =  = restart`], [none], [listsAloe]],
  ],
  ['a create in doubt without effect', [[`${createAloe} = 503 =  = restart`], [none], [none]]],
])('an order explains %s', async (_, lines) => {
  expect(await violationOf(lines)).toBeUndefined();
});

test.each<[what: string, lines: Line[]]>([
  ['two creates that win', [[`${createAloe} = 201`, `${createFicus} = 201`], [listsAloe]]],
  ['a winner that is not stored', [[`${createAloe} = 201`], [`list = 200 = ${ficus}`]]],
  ['an acknowledged create that is lost', [[`${createAloe} = 201`], [none]]],
  [
    'an acknowledged create that is there twice',
    [[`${createAloe} = 201`], [`list = 200 = ${twice}`]],
  ],
  ['a list that misses an acknowledged create', [[`${createAloe} = 201`], [none], [listsAloe]]],
  [
    'a deleted plant that comes back',
    [[`${createAloe} = 201`], ['delete = 204'], [none], [listsAloe]],
  ],
  ['two deletes of one plant', [[`${createAloe} = 201`], ['delete = 204', 'delete = 204'], [none]]],
  ['a delete that misses a plant', [[`${createAloe} = 201`], ['delete = 404'], [listsAloe]]],
  [
    'a conflict with the same content',
    [[`${createAloe} = 201`], [`${createAloe} = 409`], [listsAloe]],
  ],
  [
    'a create that changes nothing although the content differs',
    [[`${createAloe} = 201`], [`${createFicus} = 200`], [listsAloe]],
  ],
  [
    'a create in doubt that takes effect twice',
    [[`${createAloe} = 503 =  = restart`], ['delete = 204'], [listsAloe]],
  ],
  ['an effect of a create that was surely refused', [[`${createAloe} = 503`], [listsAloe]]],
])('no order explains %s', async (_, lines) => {
  expect(await violationOf(lines)).toContain('No order explains the calls about plant 7');
});
