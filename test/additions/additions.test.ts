import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { issueToken } from '../../bin/administration/access-tokens.ts';
import { leftOutText } from '../../bin/local/left-out.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { createTables } from '../../lib/database/create-tables.ts';
import { localDocumentClient } from '../../lib/database/database-client.ts';
import { type Emulator, startEmulator } from '../../lib/emulator/emulator.ts';
import { readTemplate } from '../../lib/emulator/template/template.ts';
import { finallyDo } from '../support/cleanup.ts';
import { openDatabase } from '../support/database/open-database.ts';
import { keptAssembly } from '../support/kept-assembly.ts';
import { additions } from './additions.ts';

let folder: string;
const log: string[] = [];
let emulator: Emulator;
let headers: Record<string, string>;
/** Serves the stack with an addition, as npm start --watch does. */
let serve: (assembly: string) => Promise<string>;
const names = Object.keys(additions);
/** The assembly of the stack with an addition. Without a name it has none. */
const assemblyWith = (name?: string) =>
  join(folder, `assembly-Addition${name ? names.indexOf(name) + 1 : 0}`);

beforeAll(async () => {
  folder = await keptAssembly(import.meta.dirname);
  const database = await openDatabase();
  serve = async (assembly) => {
    const template = readTemplate(assembly);
    await createTables(template, database.endpoint);
    emulator.replace(assembly);
    database.enforce(template);
    return leftOutText(template.leftOut);
  };
  emulator = await startEmulator({
    assembly: assemblyWith(),
    port: 0,
    dynamodbEndpoint: database.endpoint,
    log: (_, line) => log.push(line),
  });
  finallyDo(() => emulator.stop());
  await serve(assemblyWith());
  const client = localDocumentClient(database.endpoint);
  finallyDo(() => client.destroy());
  const expires = Math.floor(Date.now() / 1000) + 3600;
  const grant = { owner: 'me', scopes: allScopes, label: '', expires };
  const { token } = await issueToken(client, tableIds.accessTokens, grant);
  headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
});

const statusOf = async (path: string, method = 'GET', body: string | null = null) =>
  (await fetch(`${emulator.baseUrl}${path}`, { method, headers, body })).status;

/** What the start says of some additions. */
const said: Record<string, RegExp> = {
  'a bucket': /: AWS::S3::Bucket Added\w+\. See/,
  'a table with a grant': /^$/,
  'a stream with a function': /AWS::Lambda::Function Consumer\w+; AWS::Lambda::EventSourceMapping /,
  'a function on a new path': /: Added\w+\.Runtime nodejs22\.x: it runs on Node 24\. See/,
  'a function in a network': /CreatePlant\.VpcConfig/,
  'a web ACL': /AWS::WAFv2::WebACL Added; AWS::WAFv2::WebACLAssociation Association\./,
  'the value of a parameter': /the value of the parameter \w+, which is \/added here/,
  'another stack': /: the stack \w+Another\w+\. See/,
  'another stack with what a function uses': /: AWS::S3::Bucket Added\w+\. See/,
};

describe('the service goes on with', () => {
  test.each(names)('%s', async (name) => {
    const id = names.indexOf(name);
    const line = await serve(assemblyWith(name));
    expect(line).toMatch(said[name] ?? /^(Not imitated here: .+\. See docs\/imitates\.md\.)?$/);
    const plant = JSON.stringify({ id, name: 'Monstera' });
    expect(await statusOf('/plants', 'POST', plant)).toBe(201);
    expect(await statusOf('/plants')).toBe(200);
    expect(await statusOf(`/plants/${id}`, 'DELETE')).toBe(204);
  });
});

test.each(['a function on a new path', 'an alias of a function'])(
  '%s answers, and logs text',
  async (name) => {
    await serve(assemblyWith(name));
    log.length = 0;
    const response = await fetch(`${emulator.baseUrl}/added`);
    expect([response.status, await response.text()]).toEqual([200, 'added']);
    expect(log).toEqual([
      expect.stringMatching(/^START RequestId: [\w-]{36}\tVersion: \$LATEST$/),
      expect.stringMatching(/^[\d:.TZ-]{24}\t[\w-]{36}\tINFO\thello$/),
      expect.stringMatching(
        /^REPORT RequestId: [\w-]{36}\tDuration: [\d.]+ ms\t.*\tStatus: success$/,
      ),
    ]);
  },
);

test('an environment has parameters, conditions, mappings and outputs of another stack', () => {
  const environmentWith = (name: string) => {
    const template = readTemplate(assemblyWith(name));
    const create = template.of('AWS::Lambda::Function').get('CreatePlant');
    return { MemorySize: create?.MemorySize, ...create?.Environment?.Variables };
  };
  expect(environmentWith('parameters, conditions and mappings')).toMatchObject({
    MemorySize: 512,
    IF: 'yes',
    CODE: 'f00',
    TEXT: 'a y of us-east-1',
  });
  expect(environmentWith('another stack with what a function uses')).toMatchObject({
    BUCKET: expect.stringMatching(/^added/),
    ELSEWHERE: expect.stringMatching(/^Elsewhere/),
  });
});
