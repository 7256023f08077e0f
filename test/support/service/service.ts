import { createServer } from 'node:http';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { issueToken, revokeToken } from '../../../functions/access-tokens/administration.ts';
import { documentClient } from '../../../functions/dynamodb/client.ts';
import { allScopes, type Scope, stageName } from '../../../functions/shared/operations.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { type Database, startDatabase } from '../../../lib/offline/database.ts';
import { localClient } from '../../../lib/offline/database-client.ts';
import { functionVariables, startFunctions } from '../../../lib/offline/functions.ts';
import { gateway } from '../../../lib/offline/gateway.ts';
import { listen } from '../../../lib/offline/listen.ts';
import { itemsOf, recordResponses, secretsIn } from '../access-tokens/secrets.ts';
import { parse } from '../http/http-client.ts';

export interface Service {
  /** Includes the stage. */
  baseUrl: string;
  database: DynamoDBDocumentClient;
  databaseEndpoint: string;
  /** JSON log lines of the functions so far. */
  log: string[];
  /** Log lines and stack of each 5xx so far. */
  serverErrors: string[];
  /** Returns the log lines of requests with an owner's tokens, or with a token by its id. */
  logOf(subject: string): string[];
  /** Access tokens so far. `stop` searches logs, responses and tables for their secrets. */
  tokens: string[];
  /** Returns a new access token that works for a day. */
  issue(owner: string, scopes?: Scope[]): Promise<string>;
  /** Returns a new access token that has just expired. */
  issueExpired(owner: string): Promise<string>;
  issueRevoked(owner: string): Promise<string>;
  stop(): Promise<void>;
}

interface ServiceOptions {
  /** Seconds for which the gateway caches an authorizer's policy. */
  authorizerCache?: number;
  /** A running engine. By default, a new embedded one is started. */
  database?: Database | undefined;
  /** Gets the database's endpoint, and returns the endpoint for the functions: a proxy's. */
  between?: (endpoint: string) => string;
}

/** Returns JSON with one member per line, and stacks as Node prints them. */
function readable(line: string): string {
  const value = parse(line);
  return value === undefined ? line : JSON.stringify(value, null, 2).replaceAll('\\n', '\n');
}

/** Starts gateway, functions and a database in memory on free ports, as `npm start` does. */
export async function startService({
  authorizerCache = 60,
  database: running,
  between = (same) => same,
}: ServiceOptions = {}): Promise<Service> {
  const started = running ?? (await startDatabase({ port: 0 }));
  const { endpoint } = started;
  const database = documentClient(localClient(endpoint));
  const log: string[] = [];
  /** Output and errors of the functions. */
  const output: string[] = [];
  const serverErrors: string[] = [];
  const logOfTokens = new Map<string, string[]>();
  const ownerOf = new Map<string, string>();

  const functions = startFunctions({
    variables: functionVariables(between(endpoint)),
    onOutput: (text) => output.push(text),
    onError: (error) => output.push(`${error.stack}`),
  });
  const { listener } = gateway({
    call: functions.call,
    cacheSeconds: authorizerCache,
    onResponse({ authorization = '', status, log: lines, failure }) {
      const [, token = ''] = authorization.split(/ +/);
      const explanation = failure ? [...lines, failure.stack] : lines;
      logOfTokens.set(token, [...(logOfTokens.get(token) ?? []), ...explanation]);
      log.push(...lines);
      output.push(failure?.stack ?? '');
      if (status >= 500) {
        serverErrors.push(explanation.map(readable).join('\n'));
      }
    },
  });
  const server = createServer(listener);
  const baseUrl = `${await listen(server, 0)}/${stageName}`;

  const tokens: string[] = [];
  const issue = async (owner: string, scopes = allScopes, clock = Date.now) => {
    const newToken = { owner, scopes, label: 'test', expires: Math.floor(clock() / 1000) + 86_400 };
    const issued = await issueToken(database, tableIds.accessTokens, newToken, clock);
    tokens.push(issued.token);
    ownerOf.set(issued.token, owner);
    return issued;
  };
  const responses = recordResponses(baseUrl);

  function logOf(subject: string): string[] {
    const isAbout = (token: string) =>
      ownerOf.get(token) === subject || token.startsWith(`pst_${subject}_`);
    return [...logOfTokens].flatMap(([token, lines]) => (isAbout(token) ? lines : []));
  }

  return {
    baseUrl,
    database,
    databaseEndpoint: endpoint,
    log,
    serverErrors,
    logOf,
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
      server.close().closeAllConnections();
      await functions.stop();
      const texts = [...log, ...output, ...responses()];
      for (const table of Object.values(tableIds)) {
        texts.push(...(await itemsOf(database, table)));
      }
      database.destroy();
      if (!running) {
        await started.stop();
      }
      const leaks = secretsIn(texts, tokens);
      if (leaks.length > 0) {
        throw new Error(`Secrets of access tokens leaked: ${leaks.join('; ')}`);
      }
    },
  };
}
