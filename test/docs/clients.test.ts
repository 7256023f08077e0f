import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { largestPage } from '../../functions/plants/plant.ts';
import { maxBodyBytes } from '../../functions/shared/operations.ts';
import { problems } from '../../functions/shared/problems.ts';
import { readSettings } from '../../lib/settings.ts';
import { type Service, startService } from '../support/service/service.ts';
import { readPage, tableOf } from './page.ts';

const page = 'docs/clients.md';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

test('docs/clients.md names every type of problem with its status', () => {
  expect(tableOf(page, '`type` ends in').map((row) => row.slice(0, 2))).toEqual(
    Object.entries(problems).map(([code, { status }]) => [`\`${code}\``, `${status}`]),
  );
});

test('docs/clients.md has the limits in force', () => {
  const { 'throttle-rate': rate, 'throttle-burst': burst } = readSettings({});
  expect(tableOf(page, 'limit').map((row) => row.slice(0, 2))).toEqual([
    ['requests', `${rate} a second to each operation, ${burst} at once`],
    ['body', `${maxBodyBytes / 1024} KiB`],
    ['page of a list', `${largestPage} plants`],
  ]);
});

test('the problem on the page is the answer to the request on the page', async () => {
  const [, url = ''] = /`GET ([^`]+)`\sis answered 400/.exec(readPage(page)) ?? [];
  const [, shown = ''] = /^```json\n(.*?)^```/ms.exec(readPage(page)) ?? [];
  const headers = { Authorization: `Bearer ${await service.issue('alice')}` };
  const answer = await fetch(`${service.baseUrl}${url}`, { headers });
  const instance = answer.headers.get('X-Request-Id');
  expect({ ...JSON.parse(shown), instance }).toEqual(await answer.json());
});
