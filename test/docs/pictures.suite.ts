import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { defaultEndpoint, defaultPorts } from '../../lib/command-line/default-ports.ts';
import { printReady } from '../../lib/local/ready.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from '../support/checkout.ts';
import { readPage } from './page.ts';
import { referenceSize } from './reference-size.ts';

/** Returns the output of `npm start` on the default ports. */
function readOutput(): string {
  const print = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  const api = `http://127.0.0.1:${defaultPorts.api}`;
  printReady(
    { baseUrl: `${api}/v1`, token: 'pst_…', dynamodbEndpoint: defaultEndpoint },
    { port: defaultPorts.api, dynamodbPort: defaultPorts.dynamodb, data: '.plant-store' },
    'Requests are logged below.',
    `${api}/docs`,
  );
  const [[output]] = print.mock.calls as [[string]];
  print.mockRestore();
  return output;
}

test('the picture of a terminal shows what npm start prints, and its three requests', () => {
  const texts = [...readPage('docs/first-minute.svg').matchAll(/<text [^>]*>(.*)<\/text>/g)];
  const lines = texts.map(([, text = '']) =>
    text
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&amp;', '&'),
  );
  const requests = lines.splice(-3).map((line) => line.replaceAll(/\d+(?= ms)|\d\S*\.\d{3}/g, '…'));
  const start = [
    '$ npm ci && npm start',
    `> ${packageJson.name}@${packageJson.version} start`,
    `> ${packageJson.scripts.start}`,
  ];
  // A terminal breaks long lines.
  expect(lines.join('')).toBe([...start, ...readOutput().split('\n')].join(''));
  expect(requests).toEqual([
    '… POST   /v1/plants 201 … ms',
    '… GET    /v1/plants 200 … ms',
    '… DELETE /v1/plants/7 204 … ms',
  ]);
});

test.each(['dark', 'light'])(
  'the %s picture of the reference has room for every operation',
  (scheme) => {
    const image = readFileSync(join(root, 'docs', `reference-${scheme}.webp`));
    const size = { width: image.readUIntLE(24, 3) + 1, height: image.readUIntLE(27, 3) + 1 };
    expect(size).toEqual(referenceSize);
  },
);
