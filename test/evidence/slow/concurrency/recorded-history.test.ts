import { expect, test } from '@jest/globals';
import { answered } from '../../../support/plant.ts';
import { startHistory } from './recorded-history.ts';

/**
 * Records calls about plant 7 as if they had been answered so. Those around a `|` are made at once,
 * those around a `;` in turn. `+Aloe 201` is a create, `- 204` a delete, and `?Aloe` a list of one
 * plant. A call that ends in `!` met a fault.
 */
async function violationOf(text: string): Promise<string | undefined> {
  const history = startHistory();
  for (const line of text.split('; ')) {
    if (line.endsWith('!')) history.beginFault('restart');
    const gate = Promise.withResolvers<void>();
    const made = line.split(' | ').map((call) => {
      const [, kind = '', names = '', status = 200] = /^(.)(\S*) ?(\d*)/.exec(call) ?? [];
      const listed = names.split(',').filter(Boolean);
      const body = JSON.stringify(listed.map((name) => answered({ name: `7-${name}` })));
      const operation = { '+': `create 7-${names}`, '-': 'delete', '?': 'list' }[kind] ?? '';
      return history.record(operation, kind === '?' ? undefined : 7, async () => {
        await gate.promise;
        return { status: Number(status || 200), body };
      });
    });
    history.endFault();
    gate.resolve();
    await Promise.all(made);
  }
  return history.violation();
}

test.each([
  ['a create, a list, a delete', '+Aloe 201; ?Aloe; - 204; ?'],
  ['a create at once with a list that misses it', '+Aloe 201 | ?; - 204; ?'],
  ['two creates and a delete between them', '+Aloe 201 | - 204 | +Ficus 201; ?Ficus'],
  ['a create in doubt that took effect', '+Aloe 503!; ?Aloe'],
  ['a create in doubt that takes effect after its answer', '+Aloe 503!; ?; ?Aloe'],
  ['a create in doubt without effect', '+Aloe 503!; ?; ?'],
])('an order explains %s', async (_, calls) => {
  expect(await violationOf(calls)).toBeUndefined();
});

test.each([
  ['two creates that win', '+Aloe 201 | +Ficus 201; ?Aloe'],
  ['a winner that is not stored', '+Aloe 201; ?Ficus'],
  ['an acknowledged create that is lost', '+Aloe 201; ?'],
  ['an acknowledged create that is there twice', '+Aloe 201; ?Aloe,Aloe'],
  ['a list that misses an acknowledged create', '+Aloe 201; ?; ?Aloe'],
  ['a deleted plant that comes back', '+Aloe 201; - 204; ?; ?Aloe'],
  ['two deletes of one plant', '+Aloe 201; - 204 | - 204; ?'],
  ['a delete that misses a plant', '+Aloe 201; - 404; ?Aloe'],
  ['a conflict with the same content', '+Aloe 201; +Aloe 409; ?Aloe'],
  ['a create that changes nothing although the content differs', '+Aloe 201; +Ficus 200; ?Aloe'],
  ['a create in doubt that takes effect twice', '+Aloe 503!; - 204; ?Aloe'],
  ['an effect of a create that was surely refused', '+Aloe 503; ?Aloe'],
])('no order explains %s', async (_, calls) => {
  expect(await violationOf(calls)).toContain('No order explains the calls about plant 7');
});
