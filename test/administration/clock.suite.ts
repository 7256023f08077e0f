import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from '@jest/globals';
import { tokenProgram } from '../../bin/token.ts';
import { findTokenId } from '../../functions/access-tokens/token.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { issueToken } from '../../lib/tokens/tokens.ts';
import { findRecord } from '../support/access-tokens/record.ts';
import { startForwarder } from '../support/http/servers.ts';
import { account, startDeployedStack } from '../support/programs/deployed-stack.ts';
import { failure, mask, usingStack } from '../support/programs/printed.ts';
import { runHere } from '../support/programs/run.ts';

const { env: deployed, endpoint, database, table, awsClock } = await startDeployedStack();
beforeEach(() => {
  awsClock.aheadMs = 0;
});

const newToken = { owner: 'ann', scopes: allScopes, label: '', lifetime: 'never' } as const;
const scanTokens = async (TableName: string) =>
  (await database.send(new ScanCommand({ TableName }))).Items;
/** Starts a database whose responses have this date. Returns its endpoint. */
const serveWithDate = (date: string) =>
  startForwarder(endpoint, {
    spoil(headers) {
      headers.date = date;
    },
  });
const hours = 3_600_000;
const minutes = 60_000;
const inTwoHours = () => new Date(Date.now() + 2 * hours).toUTCString();

const wrongClock = (error: string) =>
  `error: Nothing was written, because this computer's clock is ${error}. Set it, then repeat the command.`;

test.each<[command: string, aheadMs: number, error: string]>([
  ['issue --owner late', 1.8 * minutes, '2 minutes slow'],
  ['rotate ID', -1.1 * minutes, '1 minute fast'],
])('%s writes nothing if AWS is %i ms ahead', async (command, aheadMs, error) => {
  const { id } = await issueToken(database, table, newToken);
  const stored = await scanTokens(table);
  awsClock.aheadMs = aheadMs;
  const line = `${command.replace('ID', id)} --stack PlantStore`;
  const ended = await runHere(tokenProgram, line, { env: { ...deployed, ...account } });
  expect(ended).toEqual(failure(usingStack() + wrongClock(error)));
  expect(await scanTokens(table)).toEqual(stored);
});

test('issue compares the clock with a local database too', async () => {
  const stored = await scanTokens(tableIds.accessTokens);
  const line = `issue --owner here --dynamodb-endpoint ${await serveWithDate(inTwoHours())}`;
  expect(await runHere(tokenProgram, line)).toEqual(failure(wrongClock('120 minutes slow')));
  expect(await scanTokens(tableIds.accessTokens)).toEqual(stored);
});

test.each([0.9, -0.9])('a clock that is %d minutes off is right enough', async (off) => {
  awsClock.aheadMs = off * minutes;
  const command = 'issue --owner exact --stack PlantStore';
  const ended = await runHere(tokenProgram, command, { env: { ...deployed, ...account } });
  expect(ended).toMatchObject({ code: 0 });
  const id = findTokenId(ended.stdout.trim()) ?? '';
  expect(await findRecord(database, table, id)).toMatchObject({ owner: 'exact' });
});

test('a database without a date does not stop a command', async () => {
  const line = `issue --owner dateless --dynamodb-endpoint ${await serveWithDate('never')}`;
  expect(await runHere(tokenProgram, line)).toMatchObject({ code: 0 });
});

test('revoke revokes on a computer with any clock, and warns', async () => {
  const { id } = await issueToken(database, table, newToken);
  const dynamoDb = { AWS_ENDPOINT_URL_DYNAMODB: await serveWithDate(inTwoHours()) };
  const env = { ...deployed, ...account, ...dynamoDb };
  awsClock.aheadMs = 2 * hours;
  const ended = await runHere(tokenProgram, `revoke ${id} --stack PlantStore`, { env });
  expect(mask(ended, { ID: id })).toMatchSnapshot();
  expect(await findRecord(database, table, id)).toHaveProperty('revoked');
});
