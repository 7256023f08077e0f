import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { issueToken, revokeToken } from '../bin/token/administration.ts';
import { allScopes } from '../functions/contract/scopes.ts';
import { tableIds } from '../functions/contract/table-schema.ts';
import { startEmulator } from '../lib/emulator/emulator.ts';
import { readTemplate } from '../lib/emulator/template/template.ts';
import { assemble } from '../lib/local/assembly.ts';
import { createTables } from '../lib/local/database/create-tables.ts';
import { localDocumentClient } from '../lib/local/database/database-client.ts';
import { type Database, startDatabase } from '../lib/local/database/embedded-database.ts';
import { itemsOf, recordAnswers, secretsIn } from './secrets.ts';

export interface Service {
  /** The folder of the synthesized cloud assembly. */
  assembly: string;
  /** Up to and including the stage. */
  baseUrl: string;
  database: DynamoDBDocumentClient;
  databaseEndpoint: string;
  /** What the functions have logged so far, line by line. */
  log: string[];
  /**
   * The access tokens issued so far. What the service has logged, answered and stored by its end is
   * searched for their secrets.
   */
  tokens: string[];
  /** A new access token that works for a day. */
  issue(owner: string, scopes?: typeof allScopes): Promise<string>;
  /** A new access token that ended a moment ago. */
  issueExpired(owner: string): Promise<string>;
  issueRevoked(owner: string): Promise<string>;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  /** CDK context: settings of the stack. */
  context?: Record<string, unknown>;
  /** A running engine in place of the embedded one. */
  database?: Database | undefined;
  /**
   * Stands between the functions and the database: gets the endpoint of the database and returns
   * its own.
   */
  between?: (endpoint: string) => string;
}

/**
 * Starts the whole service on free ports, with a database that is empty and in memory: the
 * synthesized stack, its own bundles, the emulator.
 */
export async function startService({
  context = {},
  database: running,
  between = (same) => same,
}: ServiceOptions = {}): Promise<Service> {
  const assembly = mkdtempSync(join(tmpdir(), 'plant-store-'));
  await assemble(assembly, context);
  const started = running ?? (await startDatabase({ port: 0 }));
  const { endpoint } = started;
  const template = readTemplate(assembly);
  started.enforce(template);
  await createTables(template, endpoint);

  const database = localDocumentClient(endpoint);
  const log: string[] = [];
  const emulator = await startEmulator({
    assembly,
    port: 0,
    dynamodbEndpoint: between(endpoint),
    log: (_, line) => log.push(line),
  });
  const now = () => Math.floor(Date.now() / 1000);
  const tokens: string[] = [];
  const issue = async (owner: string, scopes = allScopes, clock = Date.now) => {
    const grant = { owner, scopes, label: 'test', expires: Math.floor(clock() / 1000) + 86_400 };
    const issued = await issueToken(database, tableIds.accessTokens, grant, clock);
    tokens.push(issued.token);
    return issued;
  };
  const answers = recordAnswers(emulator.baseUrl);

  return {
    assembly,
    baseUrl: emulator.baseUrl,
    database,
    databaseEndpoint: endpoint,
    log,
    tokens,
    issue: async (owner, scopes) => (await issue(owner, scopes)).token,
    issueExpired: async (owner) =>
      (await issue(owner, allScopes, () => (now() - 86_401) * 1000)).token,
    async issueRevoked(owner) {
      const { id, token } = await issue(owner);
      await revokeToken(database, tableIds.accessTokens, id);
      return token;
    },
    async stop() {
      await emulator.stop();
      const told = [
        ...log,
        ...answers(),
        ...(await itemsOf(database, tableIds.accessTokens)),
        ...(await itemsOf(database, tableIds.plants)),
      ];
      database.destroy();
      if (!running) await started.stop();
      rmSync(assembly, { recursive: true });
      const leaks = secretsIn(told, tokens);
      if (leaks.length > 0) throw new Error(`Secrets of access tokens leaked: ${leaks.join('; ')}`);
    },
  };
}
