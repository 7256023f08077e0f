import { createServer } from 'node:http';
import { makeDocumentClient } from '../../../functions/dynamodb/client.ts';
import { allScopes, type Scope, stageName } from '../../../functions/shared/operations.ts';
import { tableIds } from '../../../functions/shared/table-schema.ts';
import { localClient } from '../../../lib/local/database/client.ts';
import { gateway } from '../../../lib/local/gateway/gateway.ts';
import { listen } from '../../../lib/local/listen.ts';
import { functionVariables, startFunctions } from '../../../lib/local/runtime/functions.ts';
import { issueToken, revokeToken } from '../../../lib/tokens/tokens.ts';
import { findSecrets } from '../access-tokens/secrets.ts';
import { finallyDo } from '../cleanup.ts';
import { stoppedClock } from '../clock/clock.ts';
import { parse } from '../http/http-client.ts';

/** Returns JSON with one member per line, and stacks as Node prints them. */
function formatLine(line: string): string {
  const value = parse(line);
  return value === undefined ? line : JSON.stringify(value, null, 2).replaceAll('\\n', '\n');
}

const checkedCommands = new URL('checked-commands.ts', import.meta.url).href;
const nodeOptions = `${stoppedClock.NODE_OPTIONS} --import=${checkedCommands}`;

/**
 * Starts gateway and functions on a free port, as `npm start` does, for the test file.
 * `cacheSeconds` is for the authorizer's policies. In the end, throws if a log line or a body has
 * the secret of an access token.
 */
export async function startService(endpoint: string, cacheSeconds = 60) {
  const database = makeDocumentClient(localClient(endpoint));
  /** Log lines, output and errors of the functions, and the bodies of responses. */
  const output: string[] = [];
  /** Log lines and stack of each 5xx so far. */
  const serverErrors: string[] = [];

  const functions = startFunctions({
    variables: { ...functionVariables(endpoint), NODE_OPTIONS: nodeOptions },
    onOutput: (text) => output.push(text),
    onError: (error) => output.push(`${error.stack}`),
  });
  const { listener } = gateway({
    call: functions.call,
    cacheSeconds,
    onResponse({ status, body, log: lines, failure }) {
      output.push(body, ...lines, failure?.stack ?? '');
      if (status >= 500) {
        const explanation = failure ? [...lines, failure.stack] : lines;
        serverErrors.push(explanation.map(formatLine).join('\n'));
      }
    },
  });
  const server = createServer(listener);
  const baseUrl = `${await listen(server, 0)}/${stageName}`;

  const tokens: string[] = [];
  const issue = async (owner: string, scopes: readonly Scope[] = allScopes, clock = Date.now) => {
    const newToken = { owner, scopes, label: 'test', lifetime: 86_400 };
    const issued = await issueToken(database, tableIds.accessTokens, newToken, clock);
    tokens.push(issued.token);
    return issued;
  };

  finallyDo(async () => {
    server.close().closeAllConnections();
    await functions.stop();
    database.destroy();
    const leaks = findSecrets(output, tokens);
    if (leaks.length > 0) {
      throw new Error(`Secrets of access tokens leaked: ${leaks.join('; ')}`);
    }
  });

  return {
    baseUrl,
    database,
    serverErrors,
    /** Returns a new access token that works for a day. */
    issue: async (owner: string, scopes?: readonly Scope[]) => (await issue(owner, scopes)).token,
    /** Returns a new access token that has just expired. */
    issueExpired: async (owner: string) =>
      (await issue(owner, allScopes, () => Date.now() - 86_401_000)).token,
    async issueRevoked(owner: string) {
      const { id, token } = await issue(owner);
      await revokeToken(database, tableIds.accessTokens, id);
      return token;
    },
  };
}
