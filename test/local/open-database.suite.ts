import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { startDatabase } from '../../lib/local/database/database.ts';
import { openDatabase } from '../../lib/local/open-database.ts';
import { announce } from '../../lib/local/running.ts';
import { root } from '../support/checkout.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { serve } from '../support/http/servers.ts';

test('a folder or a port in use fails with one line, which names the npm start in the folder', async () => {
  const folder = temporaryFolder();
  process.chdir(folder);
  finallyDo(() => process.chdir(root));
  const data = 'store';
  const { stop } = await startDatabase({ folder: data, port: 0 });
  finallyDo(stop);
  const baseUrl = `${await serve((_, response) => response.end('ours'))}/v1`;
  const dynamodbEndpoint = 'http://127.0.0.1:8000';
  const others = 'http://127.0.0.1:7999';
  announce({ instance: 'ours', processId: 1, baseUrl, dynamodbEndpoint: others, data: '/another' });
  const ours = { instance: 'ours', processId: 4711, data: join(folder, data) };
  announce({ ...ours, baseUrl, dynamodbEndpoint });
  const handlers = jest.spyOn(process, 'once').mockReturnValue(process);
  await expect(
    openDatabase({ port: 0, dynamodbPort: 0, data }, '127.0.0.1'),
  ).rejects.toHaveProperty(
    'message',
    `store is in use by process 4711, the "npm start" at ${baseUrl}. Stop that one, or choose ` +
      'another folder with --data, or keep data in memory only with --memory.',
  );
  const taken = Number(new URL(baseUrl).port);
  const opening = openDatabase({ port: 0, dynamodbPort: taken, data, memory: true }, '127.0.0.1');
  finallyDo(() => opening.then((opened) => opened.stop()).catch(() => {}));
  await expect(opening).rejects.toThrow(
    `Port ${taken} is taken. Choose another with --dynamodb-port.`,
  );
  handlers.mockRestore();
});
