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
import { type Exchange, loseResponse, pass, startFaultProxy } from '../support/database/proxy.ts';
import { runHere } from './run.ts';

const { endpoint, database } = await openDatabase();
const proxy = await startFaultProxy();
const faulty = proxy.before(endpoint);
const INIT_CWD = temporaryFolder();

/** Runs a command. Returns its exit code and its requests to the tables, in order. */
async function recordRequests(line: string, stdin = '', to = endpoint) {
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
  const options = `--dynamodb-endpoint ${to}`;
  const { code } = await runHere(program, `${words.join(' ')} ${options}`, {
    stdin,
    env: { INIT_CWD },
  });
  return { code, requests };
}

/** Loses the first response to each kind of write. */
function loseOnce() {
  const lost = new Set<string>();
  proxy.playForAll((exchange: Exchange) => {
    const isLost = /Put|Update|Delete/.test(exchange.access) && !lost.has(exchange.access);
    lost.add(exchange.access);
    return isLost ? loseResponse(exchange) : pass(exchange);
  });
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
test.each([
  { command: 'token issue --owner OWNER', requests: [put] },
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
  },
])(
  '$command reads consistently, and needs the permissions in docs/access-tokens.md',
  async ({ command, requests }) => {
    const [program = '', name = ''] = command.split(' ');
    async function run(owner: string, to: string) {
      const [{ id }] = [await issue(owner), await issue(owner)];
      if (program === 'plants') {
        await recordRequests(`plants import - --owner ${owner}`, line);
      }
      const stdin = name === 'erase' ? `${owner}\n` : line;
      const asked = command.replace('OWNER', owner).replace('ID', id);
      return recordRequests(asked, stdin, to);
    }
    expect(await run(`owner-of-${program}-${name}`, endpoint)).toEqual({ code: 0, requests });
    loseOnce();
    const { requests: afterLosses } = await run(`unlucky-${program}-${name}`, faulty);
    const all = [...requests, ...afterLosses];
    expect(all.filter((one) => /^(Get|Query|Scan)(?!.* consistently$)/.test(one))).toEqual([]);

    const [, ofPlants = '', ofTokens = ''] =
      readTable('docs/access-tokens.md', 'command').find(
        ([cell]) => cell === `\`${program} -- ${name}\``,
      ) ?? [];
    const permissions = [
      ...[...ofPlants.matchAll(/\w+/g)].map(([action]) => `${action} Plants`),
      ...[...ofTokens.matchAll(/\w+/g)].map(([action]) => `${action} AccessTokens`),
    ];
    const used = all.map((request) => request.replace(' consistently', ''));
    expect(new Set(permissions)).toEqual(new Set(used));
  },
);
