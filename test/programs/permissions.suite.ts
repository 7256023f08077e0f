import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, jest, test } from '@jest/globals';
import { plantsProgram } from '../../bin/plants.ts';
import { tokenProgram } from '../../bin/token.ts';
import { issueToken } from '../../functions/access-tokens/administration.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { readTable } from '../docs/page.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { openDatabase } from '../support/database/engine.ts';
import { runHere } from './run.ts';

const { endpoint, database } = await openDatabase();
const INIT_CWD = temporaryFolder();

/** Runs a command. Returns its requests to the tables, in order. */
async function recordRequests(line: string, stdin = ''): Promise<string[]> {
  const send = jest.spyOn(DynamoDBDocumentClient.prototype, 'send');
  const [name, ...words] = line.split(' ');
  const requests: string[] = [];
  async function program(): Promise<number> {
    const code = await (name === 'token' ? tokenProgram() : plantsProgram());
    for (const [command] of send.mock.calls) {
      const { TableName, ConsistentRead } = command.input as Record<string, unknown>;
      const action = command.constructor.name
        .replace('Command', '')
        .replace(/^(Put|Get|Update|Delete)$/, '$1Item');
      // Without a stack, a clock is read from the response to a list of tables.
      if (TableName !== undefined) {
        requests.push(`${action} ${TableName}${ConsistentRead ? ' consistently' : ''}`);
      }
    }
    return code;
  }
  const options = `--dynamodb-endpoint ${endpoint}`;
  const { code } = await runHere(program, `${words.join(' ')} ${options}`, {
    stdin,
    env: { INIT_CWD },
  });
  expect(code).toBe(0);
  return requests;
}

const issue = (owner: string) =>
  issueToken(database, tableIds.accessTokens, {
    owner,
    scopes: allScopes,
    label: '',
    lifetime: 'never',
  });

const get = 'GetItem AccessTokens consistently';
const put = 'PutItem AccessTokens';
const update = 'UpdateItem AccessTokens';
const scan = 'Scan AccessTokens consistently';
const remove = 'DeleteItem AccessTokens';
const query = 'Query Plants consistently';

const line = '{"id":1,"name":"Aloe","tag":""}\n';
/** `afterUnknown` is the read that follows a write with an unknown outcome. */
interface Row {
  command: string;
  requests: string[];
  afterUnknown?: string[];
}
test.each<Row>([
  {
    command: 'token issue --owner OWNER',
    requests: [put],
    afterUnknown: ['GetItem AccessTokens'],
  },
  { command: 'token list', requests: [scan] },
  { command: 'token rotate ID', requests: [get, put, update] },
  { command: 'token revoke ID', requests: [update] },
  { command: 'plants export - --owner OWNER', requests: [query] },
  // The read finds a stored plant.
  {
    command: 'plants import - --owner OWNER',
    requests: ['PutItem Plants', 'GetItem Plants consistently'],
  },
  {
    command: 'plants erase --owner OWNER',
    requests: [scan, query, scan, remove, remove, query, 'DeleteItem Plants', scan, query],
    afterUnknown: ['GetItem Plants'],
  },
])(
  '$command reads consistently, and needs the permissions in docs/access-tokens.md',
  async (row) => {
    const { command, requests, afterUnknown = [] } = row;
    const [program = '', name = ''] = command.split(' ');
    const owner = `owner-of-${program}-${name}`;
    const [{ id }] = [await issue(owner), await issue(owner)];
    if (program === 'plants') {
      await recordRequests(`plants import - --owner ${owner}`, line);
    }
    const stdin = name === 'erase' ? `${owner}\n` : line;
    const asked = command.replace('OWNER', owner).replace('ID', id);
    expect(await recordRequests(asked, stdin)).toEqual(requests);

    const [, ofPlants = '', ofTokens = ''] =
      readTable('docs/access-tokens.md', 'command').find(
        ([cell]) => cell === `\`${program} -- ${name}\``,
      ) ?? [];
    const permissions = [
      ...[...ofPlants.matchAll(/\w+/g)].map(([action]) => `${action} Plants`),
      ...[...ofTokens.matchAll(/\w+/g)].map(([action]) => `${action} AccessTokens`),
    ];
    const used = requests.map((request) => request.replace(' consistently', ''));
    expect(new Set(permissions)).toEqual(new Set([...used, ...afterUnknown]));
  },
);
