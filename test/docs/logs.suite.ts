import { globSync } from 'node:fs';
import { expect, jest, test } from '@jest/globals';
import { authorize } from '../../functions/access-tokens/authorizer.ts';
import { operation } from '../../functions/http/operation.ts';
import { Problem } from '../../functions/http/problem.ts';
import { isLogCode } from '../../functions/shared/log-codes.ts';
import { makeToken } from '../../lib/tokens/make-token.ts';
import { root } from '../support/checkout.ts';
import { lambdaContext, proxyEvent, tokenEvent } from '../support/service/proxy-event.ts';
import { readPage } from './page.ts';

const pages = globSync('docs/*.md', { cwd: root }).map((page) => page.replaceAll('\\', '/'));
const find = (pattern: RegExp) =>
  pages.flatMap((page) => [...readPage(page).matchAll(pattern)].map(([, name = '']) => name));

test('log lines have the fields that the pages query', async () => {
  const print = jest.spyOn(console, 'info').mockImplementation(() => undefined);
  const handler = operation({}, async () => {
    throw new Problem('plant-not-found');
  });
  await handler(proxyEvent({ authorizer: { owner: 'ann' } }), lambdaContext());
  const unknown = authorize(tokenEvent(`Bearer ${makeToken().token}`), async () => undefined);
  await expect(unknown).rejects.toThrow('Unauthorized');
  const fields = print.mock.calls.flatMap(([line]) => Object.keys(line));
  print.mockRestore();
  const queried = find(/\bmessage\.(\w+)/g);
  expect(queried.filter((name) => !fields.includes(name))).toEqual([]);
  expect(queried.length).toBeGreaterThan(10);
});

test('the pages name log codes that exist', () => {
  const quoted = find(/`((?:AUTHORIZER|DATABASE|PLANTS?|REQUEST|TOKEN|WARM)_\w+)`/g);
  const named = [...quoted, ...find(/message\.code = "(\w+)"/g)];
  const placeholders = ['CODE', 'REQUEST_ID', 'TOKEN_ID'];
  const codes = named.filter((name) => !placeholders.includes(name));
  expect(codes.filter((code) => !isLogCode(code))).toEqual([]);
  expect(codes.length).toBeGreaterThan(8);
});
