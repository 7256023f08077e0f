import { mkdirSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from '@jest/globals';
import { announce, findRunning } from '../../bin/command-line/running.ts';
import { openDatabase } from '../../bin/offline/local-database.ts';
import { openDataFolder } from '../../lib/offline/database/data-folder.ts';
import { localClient } from '../../lib/offline/database/database-client.ts';
import { finallyDo, temporaryFolder } from '../support/cleanup.ts';
import { testOnPosix } from '../support/posix.ts';

const running = { baseUrl: 'http://127.0.0.1:1/v1', dynamodbEndpoint: 'http://127.0.0.1:2' };
const open = (data: string, host = '127.0.0.1') =>
  openDatabase({ data, port: 0, dynamodbPort: 0 }, { host });

const testPosix = testOnPosix('its errors have other words, and its kill takes other ids');

testPosix('a data folder in use is refused, with where its npm start runs', async () => {
  const data = temporaryFolder();
  const folder = await openDataFolder(data);
  await expect(open(data)).rejects.toThrow(`${data} is in use by another process.`);
  announce(data, running);
  const kill = `kill ${process.pid}`;
  await expect(open(data)).rejects.toThrow(`${data} runs already, at ${running.baseUrl}. Use`);
  await expect(open(data)).rejects.toThrow(`or end it with "${kill}"`);
  await folder.close();
});

test('a data folder that is not in use opens, whatever a killed npm start announced', async () => {
  const data = temporaryFolder();
  await (await openDataFolder(data)).close();
  // This process is running, but not with the folder.
  announce(data, running);
  const database = await open(data);
  finallyDo(database.stop);
  expect(findRunning(data)).toBeUndefined();
});

const hasIpv6 = networkInterfaces().lo?.some(({ address }) => address === '::1');
(hasIpv6 ? test : test.skip)('the database listens on ::1', async () => {
  const database = await open(join(temporaryFolder(), 'data'), '::1');
  finallyDo(database.stop);
  expect(database.endpoint).toMatch(/^http:\/\/\[::1\]:\d+$/);
  const client = localClient(database.endpoint);
  finallyDo(() => client.destroy());
  expect((await client.send(new ListTablesCommand())).TableNames).toEqual([]);
});

test('a foreign address is refused with the option to change', async () => {
  await expect(open(temporaryFolder(), '192.0.2.1')).rejects.toThrow(
    /^192\.0\.2\.1 is not an address of this machine\. Choose another with --dynamodb-host\.$/,
  );
});

testPosix('a folder that cannot be read is not called damaged', async () => {
  const data = temporaryFolder();
  mkdirSync(join(data, 'plant-store', 'LOCK'), { recursive: true });
  await expect(open(data)).rejects.toThrow(/cannot be read and written \(.*Is a directory\)/);
  await expect(open(data)).rejects.not.toThrow(/Remove/);
});
