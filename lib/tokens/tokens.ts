import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  paginateScan,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import {
  describeIssues,
  findDigest,
  findItem,
  formatTime,
  getStatus,
  parseAccess,
  type TokenAccess,
  type TokenItem,
  type TokenStatus,
} from '../../functions/access-tokens/record.ts';
import { digestToken } from '../../functions/access-tokens/token.ts';
import { UnknownOutcome } from '../../functions/dynamodb/errors.ts';
import { makeToken } from './make-token.ts';
import {
  type AccessTokenRecord,
  findAccess,
  type Lifetime,
  type NewToken,
  newToken,
  parseRecord,
} from './record.ts';

// These functions need a client with `protectWrites`, because a second put would bring a revoked
// token back.

/** An error for the administrator. The message says what is wrong, then what to do. */
export class AdministrationError extends Error {
  override name = 'AdministrationError';
}

export interface IssuedToken {
  id: string;
  /** The token itself, which cannot be recovered later. */
  token: string;
  record: AccessTokenRecord;
}

/** A token of the list. Its error contains no values of the record. */
export type ListedToken =
  | { kind: 'whole'; id: string; owner: string; status: TokenStatus; record: AccessTokenRecord }
  | {
      /** The authorizer accepts the token, and another member is damaged. */
      kind: 'damaged';
      id: string;
      owner: string;
      status: TokenStatus;
      access: TokenAccess;
      error: string;
    }
  /** The authorizer accepts no token for the record. */
  | { kind: 'unreadable'; id: string; owner: string | undefined; error: string };

const toSeconds = (ms: number): number => Math.floor(ms / 1000);

/**
 * Issues an access token. Throws an AdministrationError if the input is invalid or the outcome is
 * unknown.
 */
export async function issueToken(
  database: DynamoDBDocumentClient,
  table: string,
  input: NewToken,
  now: () => number = Date.now,
): Promise<IssuedToken> {
  const { success, output, issues } = v.safeParse(newToken, input);
  if (!success) {
    throw new AdministrationError(`No token was issued: ${describeIssues(issues).join('; ')}.`);
  }
  const { id, token } = makeToken();
  const created = toSeconds(now());
  const { owner, scopes, label, lifetime } = output;
  const record = {
    id,
    digest: digestToken(token),
    owner,
    scopes: [...new Set(scopes)],
    label,
    created,
    lifetime,
    ...(lifetime !== 'never' && { expires: created + lifetime }),
  };
  const put = new PutCommand({
    TableName: table,
    Item: record,
    ConditionExpression: 'attribute_not_exists(id)',
  });
  try {
    await database.send(put);
  } catch (error) {
    if (!(error instanceof UnknownOutcome)) {
      throw error;
    }
    await expectStored(database, table, record, error);
  }
  return { id, token, record };
}

/**
 * After a put with an unknown outcome, throws an AdministrationError unless the record is there.
 */
async function expectStored(
  database: DynamoDBDocumentClient,
  table: string,
  { id, digest }: AccessTokenRecord,
  unknown: UnknownOutcome,
): Promise<void> {
  const item = await findItem(database, table, id).catch(() => undefined);
  const stored = item && findDigest(item);
  if (!stored || Buffer.compare(stored, digest) !== 0) {
    throw new AdministrationError(
      `It is unknown whether the token ${id} was issued (${describeReason(unknown)}). Wait a ` +
        `minute, then run "list". If it shows ${id}, run "revoke ${id}". Then repeat the command.`,
    );
  }
}

/** Returns the reason of an error, or of an unknown outcome, in one line. */
function describeReason(error: Error): string {
  const { name, message } = error instanceof UnknownOutcome ? (error.cause as Error) : error;
  const [line] = message.split('\n');
  return line || name;
}

/**
 * Lists all tokens, or those of one owner, oldest first. Damaged records come last, including those
 * whose owner is unreadable.
 */
export async function listTokens(
  database: DynamoDBDocumentClient,
  table: string,
  owner?: string,
  now: () => number = Date.now,
): Promise<ListedToken[]> {
  const tokens: ListedToken[] = [];
  const scan = { TableName: table, ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client: database }, scan)) {
    for (const token of Items.map((item) => readToken(item, now()))) {
      // The owner of a damaged record may be unreadable.
      if (owner === undefined || token.owner === undefined || token.owner === owner) {
        tokens.push(token);
      }
    }
  }
  return tokens.sort(compareTokens);
}

/** Orders tokens by their creation. Damaged records come last. */
function compareTokens(a: ListedToken, b: ListedToken): number {
  return readCreation(a) - readCreation(b) || (a.id < b.id ? -1 : 1);
}

const readCreation = (token: ListedToken): number =>
  token.kind === 'whole' ? token.record.created : Number.MAX_SAFE_INTEGER;

function readToken(item: TokenItem, now: number): ListedToken {
  try {
    const record = parseRecord(item);
    const { id, owner } = record;
    return { kind: 'whole', id, owner, status: getStatus(record, now), record };
  } catch (error) {
    const { message } = error as Error;
    const id = String(item.id);
    const access = findAccess(item);
    if (access) {
      const { owner } = access;
      return { kind: 'damaged', id, owner, status: getStatus(access, now), access, error: message };
    }
    const owner = typeof item.owner === 'string' ? item.owner : undefined;
    return { kind: 'unreadable', id, owner, error: message };
  }
}

/**
 * Revokes an access token and returns it. In its record, `revoked` is the time of the first
 * revocation. Throws an AdministrationError if the id does not exist, or if it is unknown whether
 * the token was revoked.
 */
export async function revokeToken(
  database: DynamoDBDocumentClient,
  table: string,
  id: string,
  now: () => number = Date.now,
): Promise<ListedToken> {
  const revocation = changeRecord(database, table, {
    id,
    update: 'SET revoked = if_not_exists(revoked, :now)',
    // Otherwise the update of an unknown id would create an item.
    condition: 'attribute_exists(id)',
    values: { ':now': toSeconds(now()) },
  });
  const item = await revocation.catch((error) => {
    if (error instanceof UnknownOutcome) {
      throw new AdministrationError(
        `It is unknown whether the token ${id} was revoked (${describeReason(error)}). Repeat ` +
          'the command.',
      );
    }
    throw error;
  });
  if (!item) {
    throw noSuchToken(id);
  }
  return readToken(item, now());
}

/** An idempotent change to a token's record, as DynamoDB expressions. */
interface Change {
  id: string;
  update: string;
  condition: string;
  values: Record<string, unknown>;
}

/** Returns the changed item, or undefined if the condition does not hold. */
async function changeRecord(
  database: DynamoDBDocumentClient,
  table: string,
  { id, update, condition, values }: Change,
): Promise<TokenItem | undefined> {
  const command = new UpdateCommand({
    TableName: table,
    Key: { id },
    UpdateExpression: update,
    ConditionExpression: condition,
    ExpressionAttributeValues: values,
    ReturnValues: 'ALL_NEW',
  });
  async function send(): Promise<TokenItem | undefined> {
    try {
      const { Attributes = {} } = await database.send(command);
      return Attributes;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) {
        return undefined;
      }
      throw error;
    }
  }
  return retryIfUnknown(send);
}

/**
 * Retries an idempotent write once if its outcome is unknown. If the retry fails, it stays unknown.
 */
async function retryIfUnknown<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof UnknownOutcome)) {
      throw error;
    }
    return await send().catch(() => {
      throw error;
    });
  }
}

interface Rotation {
  /** Seconds for which the old token still works. */
  overlap: number;
  /** The lifetime of the new token, if it differs from the old one's. */
  lifetime?: Lifetime | undefined;
  /** Called with the new token before the old one changes. If it rejects, the old one stays. */
  show(issued: IssuedToken): Promise<void>;
}

/**
 * Issues a token with the same owner, scopes, label and lifetime as an active one, and lets that
 * one end after the overlap. Returns its end, in seconds since 1970. Throws an AdministrationError
 * if the old one cannot be rotated, may work longer, or was revoked or erased during the rotation.
 */
export async function rotateToken(
  database: DynamoDBDocumentClient,
  table: string,
  id: string,
  { overlap, lifetime, show }: Rotation,
  now: () => number = Date.now,
): Promise<number | undefined> {
  const old = await requireActiveToken(database, table, id, now());
  const input = { ...old, lifetime: lifetime ?? readLifetime(old) };
  const issued = await issueToken(database, table, input, now);
  await show(issued);
  return endReplacedToken(database, table, old, issued, overlap);
}

/** Returns the record of an active token. Otherwise throws an AdministrationError. */
async function requireActiveToken(
  database: DynamoDBDocumentClient,
  table: string,
  id: string,
  now: number,
): Promise<AccessTokenRecord> {
  const item = await findItem(database, table, id);
  if (!item) {
    throw noSuchToken(id);
  }
  const token = readToken(item, now);
  if (token.kind !== 'whole') {
    throw new AdministrationError(`${token.error} Revoke it and issue a new one.`);
  }
  if (token.status !== 'active') {
    throw new AdministrationError(`The token ${id} is ${token.status}. Issue a new one instead.`);
  }
  return token.record;
}

/**
 * Returns for how long a token was issued. A rotation changes its `expires`, but not its lifetime.
 */
function readLifetime({ lifetime, created, expires }: AccessTokenRecord): Lifetime {
  // Version 1.0.0 stored no lifetime.
  return lifetime ?? (expires === undefined ? 'never' : expires - created);
}

/** Brings the end of a replaced token forward to the end of the overlap, never back. */
async function endReplacedToken(
  database: DynamoDBDocumentClient,
  table: string,
  { id, expires }: AccessTokenRecord,
  { record: successor }: IssuedToken,
  overlap: number,
): Promise<number | undefined> {
  let access: TokenAccess | undefined;
  try {
    const changed = await changeRecord(database, table, {
      id,
      update: 'SET expires = :end',
      condition:
        'attribute_exists(id) AND attribute_not_exists(revoked) ' +
        'AND (attribute_not_exists(expires) OR expires >= :end)',
      values: { ':end': successor.created + overlap },
    });
    const item = changed ?? (await findItem(database, table, id));
    access = item && parseAccess(item);
  } catch (error) {
    const end = expires === undefined ? 'it is revoked' : formatTime(expires);
    throw new AdministrationError(
      `The old token ${id} may still work until ${end} (${describeReason(error as Error)}). Run ` +
        `"revoke ${id}" once nobody uses it.`,
    );
  }
  if (!access || access.revoked !== undefined) {
    throw new AdministrationError(
      `The old token ${id} was ${access ? 'revoked' : 'erased'} during the rotation. If the new ` +
        `one must not work either, run "revoke ${successor.id}".`,
    );
  }
  return access.expires;
}

/** Deletes the record of an access token, which then no longer works. */
export async function deleteToken(
  database: DynamoDBDocumentClient,
  table: string,
  id: string,
): Promise<void> {
  const remove = new DeleteCommand({ TableName: table, Key: { id } });
  await retryIfUnknown(() => database.send(remove));
}

const noSuchToken = (id: string): AdministrationError =>
  new AdministrationError(`There is no token ${id}. Run "list" to see the ids.`);
