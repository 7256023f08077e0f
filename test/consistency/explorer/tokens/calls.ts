import { digestToken } from '../../../../functions/access-tokens/token.ts';
import { tableIds } from '../../../../functions/shared/table-schema.ts';
import { countHolding, eraseHolding } from '../../../../lib/administration/erase.ts';
import { explain } from '../../../../lib/administration/explain.ts';
import type { Target } from '../../../../lib/administration/target.ts';
import { printIssued } from '../../../../lib/administration/token-output.ts';
import { tokenAuthorizer } from '../../../../lib/local/gateway/token-authorizer.ts';
import type { CallFunction } from '../../../../lib/local/runtime/functions.ts';
import { makeToken } from '../../../../lib/tokens/make-token.ts';
import { issueToken, listTokens, revokeToken, rotateToken } from '../../../../lib/tokens/tokens.ts';
import { tokenEvent } from '../../../support/service/proxy-event.ts';
import { current, isCall, makeAs, rememberResults, send } from '../running-calls.ts';
import type { Call, Run } from '../subject.ts';

export const newToken = { owner: 'ann', scopes: ['plants:read'], label: '', lifetime: 7200 };
export const cacheSeconds = 60;

const table = tableIds.accessTokens;
/** No call of a schedule has the number of the stored token. */
const stored = 250;
const tokens = new Map<number, Token>();

export interface Token {
  id: string;
  token: string;
  /** In base64, as DynamoDB has it. */
  digest: string;
}

function makeTokenWithDigest(): Token {
  const { id, token } = makeToken();
  return { id, token, digest: digestToken(token).toString('base64') };
}

/** Returns the token that the call with this number issues, or the stored one. */
export function findToken(number = stored): Token {
  const token = tokens.get(number) ?? makeAs(number, makeTokenWithDigest);
  tokens.set(number, token);
  return token;
}

/** Returns the token that a call issues. An issue with a taken id has that of the stored one. */
export function findIssued({ start, operation }: Call): Token {
  if (operation !== 'issue taken') {
    return findToken(start.number);
  }
  return makeAs(start.number, () => {
    current().firstRandomOf = stored;
    return makeTokenWithDigest();
  });
}

/** A scenario's calls are about the stored token, or about that of the first call. */
export const findNamedToken = (operation: string): Token =>
  operation.endsWith(' new') ? findToken(0) : findToken();

export async function load(): Promise<Run> {
  const { connect } = await import('../../../../functions/dynamodb/client.ts');
  const { handler } = await import('../../../../functions/authorize.ts');
  replaceOutput();
  rememberResults();
  // Signing would take a quarter of the time.
  const database = connect({ signer: { sign: async (request) => request } });
  const target: Target = {
    name: '',
    database,
    tables: tableIds,
    clock: {},
    explain: (error) => explain(error, { stack: 'PlantStore' }),
  };

  const call: CallFunction = async (_, event) => {
    try {
      const result = await handler(event as never, {} as never);
      return { payload: JSON.stringify(result), failure: undefined, log: [] };
    } catch (error) {
      return { payload: undefined, failure: error as Error & { stack: string }, log: [] };
    }
  };
  const { methodArn } = tokenEvent('');

  /** Calls the API twice with a token. The second time, the policy may be cached. */
  async function authorize(operation: string): Promise<string> {
    const { authorize } = tokenAuthorizer(call, cacheSeconds);
    const header = `Bearer ${findNamedToken(operation).token}`;
    const first = await authorize(header, methodArn);
    await wait();
    const second = await authorize(header, methodArn);
    return [first, second]
      .map((verdict) => ('allowed' in verdict ? 'allowed' : verdict.refused))
      .join(', ');
  }

  /** The steps of the programs. */
  const commands: Record<string, (operation: string) => Promise<unknown>> = {
    async issue(operation) {
      if (operation === 'issue taken') {
        current().firstRandomOf = stored;
      }
      await printIssued(await issueToken(database, table, newToken));
    },
    async rotate(operation) {
      const overlap = operation === 'rotate 0' ? 0 : 3600;
      await rotateToken(database, table, findToken().id, { overlap, show: printIssued });
    },
    authorize,
    revoke: (operation) => revokeToken(database, table, findNamedToken(operation).id),
    async list() {
      const listed = await listTokens(database, table);
      return listed
        .map((token) => `${token.id} ${token.kind === 'unreadable' ? '' : token.status}`)
        .join();
    },
    async erase() {
      const found = await countHolding(target, newToken.owner);
      if (found.tokens > 0) {
        await eraseHolding(target, newToken.owner, found);
      }
    },
  };

  return async (operation) => {
    const [kind = ''] = operation.split(' ');
    try {
      const text = await commands[kind]?.(operation);
      return { status: 0, body: typeof text === 'string' ? text : '' };
    } catch (error) {
      return { status: 1, body: target.explain(error) };
    }
  };
}

/** Makes the output of calls a step of their schedule. */
function replaceOutput(): void {
  const { stdout } = process;
  const write = stdout.write.bind(stdout) as (...args: unknown[]) => boolean;
  stdout.write = ((text: string, done: (error?: Error) => void) => {
    if (!isCall()) {
      return write(text, done);
    }
    send({ name: 'Show', parameters: {} }).then((reply) =>
      done(typeof reply === 'string' ? new Error(reply) : undefined),
    );
    return true;
  }) as never;
}

/** Lets other calls go on, and perhaps the clock. */
async function wait(): Promise<void> {
  const reply = await send({ name: 'Wait', parameters: {} });
  const { seconds } = Object(Object(reply).body);
  current().seconds = seconds;
}
