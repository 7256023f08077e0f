import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { issueToken, revokeToken } from '../../../bin/command-line/access-tokens.ts';
import { allScopes, type Scope } from '../../../functions/shared/operations.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { assemble } from '../../../lib/offline/assembly.ts';
import { createTables } from '../../../lib/offline/database/create-tables.ts';
import { localDocumentClient } from '../../../lib/offline/database/database-client.ts';
import { type Database, startDatabase } from '../../../lib/offline/database/embedded-database.ts';
import { startEmulator } from '../../../lib/offline/emulator.ts';
import { readTemplate } from '../../../lib/offline/template/template.ts';
import { itemsOf, recordAnswers, secretsIn } from '../access-tokens/secrets.ts';

export interface Service {
  /** The folder of the synthesized assembly. */
  assembly: string;
  /** With the stage. */
  baseUrl: string;
  database: DynamoDBDocumentClient;
  databaseEndpoint: string;
  /** The lines that the functions have logged so far. */
  log: string[];
  /** The same lines, by the function's logical id. */
  linesOf: Record<string, string[]>;
  /** Returns the lines that the functions have logged for a request, by its trace. */
  logOf(traceId: string): string[];
  /** The access tokens so far. `stop` searches logs, answers and tables for their secrets. */
  tokens: string[];
  /** Returns a new access token that works for a day. */
  issue(owner: string, scopes?: Scope[]): Promise<string>;
  /** Returns a new access token that has just expired. */
  issueExpired(owner: string): Promise<string>;
  issueRevoked(owner: string): Promise<string>;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  /** The CDK context, with settings of the stack. */
  context?: Record<string, unknown>;
  /** A running engine, if not a new embedded one. */
  database?: Database | undefined;
  /**
   * Puts a proxy between the functions and the database. Gets the database's endpoint and returns
   * the proxy's.
   */
  between?: (endpoint: string) => string;
  /** After how many seconds Lambda stops a function, by its logical id. */
  functionSeconds?: Record<string, number>;
}

/**
 * Starts the synthesized stack in the emulator, on free ports and with an empty database in memory.
 */
export async function startService({
  context = {},
  database: running,
  between = (same) => same,
  functionSeconds = {},
}: ServiceOptions = {}): Promise<Service> {
  const assembly = mkdtempSync(join(realpathSync(tmpdir()), 'plant-store-'));
  await assemble(assembly, context);
  const { file } = readTemplate(assembly);
  const { Resources, ...others } = JSON.parse(readFileSync(file, 'utf8'));
  for (const [id, seconds] of Object.entries(functionSeconds)) {
    Resources[id].Properties.Timeout = seconds;
  }
  writeFileSync(file, JSON.stringify({ ...others, Resources }));
  const started = running ?? (await startDatabase({ port: 0 }));
  const { endpoint } = started;
  const template = readTemplate(assembly);
  started.enforce(template);
  await createTables(template, endpoint);

  const database = localDocumentClient(endpoint);
  const log: string[] = [];
  const linesOf: Record<string, string[]> = {};
  const logOfTraces = new Map<string | undefined, string[]>();
  const emulator = await startEmulator({
    assembly,
    port: 0,
    dynamodbEndpoint: between(endpoint),
    log(functionName, line, traceId) {
      log.push(line);
      linesOf[functionName] ??= [];
      linesOf[functionName].push(line);
      logOfTraces.set(traceId, [...(logOfTraces.get(traceId) ?? []), line]);
    },
  });
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
    linesOf,
    logOf: (traceId) => logOfTraces.get(traceId) ?? [],
    tokens,
    issue: async (owner, scopes) => (await issue(owner, scopes)).token,
    issueExpired: async (owner) =>
      (await issue(owner, allScopes, () => Date.now() - 86_401_000)).token,
    async issueRevoked(owner) {
      const { id, token } = await issue(owner);
      await revokeToken(database, tableIds.accessTokens, id);
      return token;
    },
    async stop() {
      await emulator.stop();
      const told = [...log, ...answers()];
      for (const table of Object.values(tableIds)) {
        told.push(...(await itemsOf(database, table)));
      }
      database.destroy();
      if (!running) {
        await started.stop();
      }
      rmSync(assembly, { recursive: true });
      const leaks = secretsIn(told, tokens);
      if (leaks.length > 0) {
        throw new Error(`Secrets of access tokens leaked: ${leaks.join('; ')}`);
      }
    },
  };
}
