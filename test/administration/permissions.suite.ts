import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from '@jest/globals';
import { plantsProgram } from '../../bin/plants.ts';
import { tokenProgram } from '../../bin/token.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { issueToken } from '../../lib/tokens/tokens.ts';
import { readTable } from '../docs/page.ts';
import { openDatabase } from '../support/database/engine.ts';
import { loseResponse, pass, startFaultProxy } from '../support/database/proxy.ts';
import { makeBody, makePlant } from '../support/plant.ts';
import { runHere } from '../support/programs/run.ts';

const { endpoint, database } = await openDatabase();
const proxy = await startFaultProxy();
const faulty = proxy.before(endpoint);

/** Returns the requests from now on, in order. If asked, loses the first response to each write. */
function recordRequests({ losesResponses }: { losesResponses: boolean }): string[] {
  const requests: string[] = [];
  proxy.playForAll((exchange) => {
    const { access, isConsistentRead } = exchange;
    const isLost = losesResponses && /Put|Update|Delete/.test(access) && !requests.includes(access);
    requests.push(isConsistentRead ? `${access} consistently` : access);
    return isLost ? loseResponse(exchange) : pass(exchange);
  });
  return requests;
}

const newToken = { scopes: allScopes, label: '', lifetime: 'never' } as const;

const get = 'AccessTokens GetItem consistently';
const put = 'AccessTokens PutItem';
const update = 'AccessTokens UpdateItem';
const scan = 'AccessTokens Scan consistently';
const remove = 'AccessTokens DeleteItem';
const query = 'Plants Query consistently';

test.each([
  { command: 'token issue --owner OWNER', requests: [put] },
  { command: 'token list', requests: [scan] },
  { command: 'token rotate ID', requests: [get, put, update] },
  { command: 'token revoke ID', requests: [update] },
  { command: 'plants export - --owner OWNER', requests: [query] },
  { command: 'plants import - --owner OWNER', requests: ['Plants PutItem'] },
  {
    command: 'plants erase --owner OWNER',
    requests: [scan, query, scan, remove, query, 'Plants DeleteItem', scan, query],
  },
])(
  '$command reads consistently, and needs the permissions in docs/access-tokens.md',
  async ({ command, requests }) => {
    const [program, name, ...options] = command.split(' ');
    async function run(owner: string, losesResponses: boolean) {
      const { id } = await issueToken(database, tableIds.accessTokens, { ...newToken, owner });
      const Item = { owner, ...makePlant(1n) };
      await database.send(new PutCommand({ TableName: tableIds.plants, Item }));
      const stdin = name === 'erase' ? `${owner}\n` : `${makeBody(1)}\n`;
      const line = `${name} ${options.join(' ')} --dynamodb-endpoint ${faulty}`;
      const recorded = recordRequests({ losesResponses });
      const { code } = await runHere(
        program === 'token' ? tokenProgram : plantsProgram,
        line.replace('OWNER', owner).replace('ID', id),
        { stdin },
      );
      return { code, requests: recorded };
    }
    expect(await run(`owner-of-${program}-${name}`, false)).toEqual({ code: 0, requests });
    const unlucky = await run(`unlucky-${program}-${name}`, true);
    // An import does not know whether its plant was there before.
    expect(unlucky.code).toBe(name === 'import' ? 1 : 0);
    const all = [...requests, ...unlucky.requests];
    expect(all.filter((one) => /(Get|Query|Scan)\w*$/.test(one))).toEqual([]);

    const [, ofPlants = '', ofTokens = ''] =
      readTable('docs/access-tokens.md', 'command').find(
        ([cell]) => cell === `\`${program} -- ${name}\``,
      ) ?? [];
    const permissions = [
      ...(ofPlants.match(/\w+/g) ?? []).map((action) => `Plants ${action}`),
      ...(ofTokens.match(/\w+/g) ?? []).map((action) => `AccessTokens ${action}`),
    ];
    const used = all.map((request) => request.replace(' consistently', ''));
    expect(new Set(permissions)).toEqual(new Set(used));
  },
);
