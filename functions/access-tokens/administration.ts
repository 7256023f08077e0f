import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  paginateScan,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { UnknownOutcome } from '../dynamodb/writes.ts';
import {
  type AccessTokenRecord,
  describeIssues,
  findItem,
  getStatus,
  newToken,
  parseRecord,
  readDigest,
  type TokenItem,
} from './record.ts';
import { digestToken, makeToken } from './token.ts';

// These functions need a client with `protectWrites`, because a second put would bring a revoked
// token back.

/** An error for the administrator. The message says what is wrong, then what to do. */
export class AdministrationError extends Error {
  override name = 'AdministrationError';
}

/** A damaged record, which grants no access. */
export interface UnreadableToken {
  id: string;
  owner: string | undefined;
  /** A sentence that says what is wrong with the record, without its values. */
  fault: string;
}

export interface IssuedToken {
  id: string;
  /** The token itself, which cannot be recovered later. */
  token: string;
  record: AccessTokenRecord;
}

type NewToken = Pick<AccessTokenRecord, 'owner' | 'scopes' | 'label'> & {
  /** Seconds since 1970, or undefined if the token never expires. */
  expires?: number | undefined;
};

/** In seconds, or never. */
export type Lifetime = number | 'never';

/** Returns when a new token expires, in seconds since 1970, or undefined for never. */
export const expiresAt = (lifetime: Lifetime, now = Date.now()): number | undefined =>
  lifetime === 'never' ? undefined : toSeconds(now) + lifetime;

interface Rotation {
  /** Seconds for which the old token still works. */
  overlap: number;
  /** The lifetime of the new token, if it differs from the old one's. */
  lifetime?: Lifetime | undefined;
}

const toSeconds = (ms: number) => Math.floor(ms / 1000);

/**
 * Issues an access token. Throws an AdministrationError if the input is invalid, if the token was
 * changed before it could be shown, or if the outcome is unknown.
 */
export async function issueToken(
  database: DynamoDBDocumentClient,
  table: string,
  input: NewToken,
  now: () => number = Date.now,
): Promise<IssuedToken> {
  const created = toSeconds(now());
  const { issues = [] } = v.safeParse(newToken, input);
  const errors = describeIssues(issues);
  if (!isLater(input.expires, created)) {
    errors.push('expires must be in the future');
  }
  if (errors.length > 0) {
    throw new AdministrationError(`No token was issued: ${errors.join('; ')}.`);
  }
  return storeToken(database, table, input, created);
}

const isLater = (expires: number | undefined, created: number): boolean =>
  expires === undefined || expires > created;

async function storeToken(
  database: DynamoDBDocumentClient,
  table: string,
  { owner, scopes, label, expires }: NewToken,
  created: number,
): Promise<IssuedToken> {
  const { id, token } = makeToken();
  const record = {
    id,
    digest: digestToken(token),
    owner,
    scopes: [...new Set(scopes)],
    label,
    created,
    ...(expires !== undefined && { expires }),
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
    await settlePut(database, table, record, error);
  }
  return { id, token, record };
}

/**
 * Reads the record after a put whose outcome is unknown. Throws an AdministrationError unless the
 * record was stored and has not changed since.
 */
async function settlePut(
  database: DynamoDBDocumentClient,
  table: string,
  { id, digest, expires }: AccessTokenRecord,
  unknown: UnknownOutcome,
): Promise<void> {
  const item = await findItem(database, table, id).catch(() => undefined);
  const stored = item && readDigest(item);
  if (!stored || Buffer.compare(stored, digest) !== 0) {
    throw new AdministrationError(
      `It is unknown whether the token ${id} was issued (${describeReason(unknown)}). Wait a minute, ` +
        `then run "list". If it shows ${id}, run "revoke ${id}". Then repeat the command.`,
      { cause: unknown },
    );
  }
  const found = readRecord(item);
  const isUnchanged =
    !('fault' in found) &&
    found.revoked === undefined &&
    found.replacedBy === undefined &&
    found.expires === expires;
  if (!isUnchanged) {
    throw new AdministrationError(
      `The token ${id} was issued, but it was revoked, replaced or changed before it could be ` +
        `shown. Run "revoke ${id}", then repeat the command.`,
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
): Promise<(AccessTokenRecord | UnreadableToken)[]> {
  const tokens: (AccessTokenRecord | UnreadableToken)[] = [];
  const scan = { TableName: table, ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client: database }, scan)) {
    for (const token of Items.map(readRecord)) {
      const isForeign = token.owner !== undefined && token.owner !== owner;
      if (owner === undefined || !isForeign) {
        tokens.push(token);
      }
    }
  }
  const createdAt = (token: AccessTokenRecord | UnreadableToken): number =>
    'fault' in token ? Number.MAX_SAFE_INTEGER : token.created;
  return tokens.sort((a, b) => createdAt(a) - createdAt(b) || (a.id < b.id ? -1 : 1));
}

/** Returns a token's record, or a description of a damaged one. */
function readRecord(item: TokenItem): AccessTokenRecord | UnreadableToken {
  try {
    return parseRecord(item);
  } catch (error) {
    const owner = typeof item.owner === 'string' ? item.owner : undefined;
    return { id: String(item.id), owner, fault: (error as Error).message };
  }
}

/**
 * Revokes an access token and returns its record, in which `revoked` is the time of the first
 * revocation. Throws an AdministrationError if the id does not exist, or if it is unknown whether
 * the token was revoked.
 */
export async function revokeToken(
  database: DynamoDBDocumentClient,
  table: string,
  id: string,
  now: () => number = Date.now,
): Promise<AccessTokenRecord | UnreadableToken> {
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
        `It is unknown whether the token ${id} was revoked (${describeReason(error)}). Repeat the command.`,
        { cause: error },
      );
    }
    throw error;
  });
  if (!item) {
    throw noSuchToken(id);
  }
  return readRecord(item);
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

/** Retries an idempotent write once if its outcome is unknown. If the retry fails, it stays unknown. */
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

/**
 * Replaces an access token with a new one that has the same owner, scopes, label and lifetime. The
 * old one expires within `overlap` seconds. Throws an AdministrationError if the old one does not
 * exist, is damaged, revoked, expired or already replaced, or if an outcome is unknown.
 */
export async function rotateToken(
  database: DynamoDBDocumentClient,
  table: string,
  id: string,
  { overlap, lifetime }: Rotation,
  now: () => number = Date.now,
): Promise<IssuedToken & { replaced: AccessTokenRecord }> {
  const old = await findRotatable(database, table, id, now());
  const created = toSeconds(now());
  const expires = expiresAt(lifetime ?? calculateLifetime(old), now());
  if (!isLater(expires, created)) {
    throw new AdministrationError(
      `No token was issued: expires must be in the future, but the token ${id} was created after ` +
        'it expires. Choose a lifetime with --expires-in.',
    );
  }
  const issued = await storeToken(database, table, { ...old, expires }, created);
  const lastSecond = Math.min(old.expires ?? Number.POSITIVE_INFINITY, created + overlap);
  const replacement = changeRecord(database, table, {
    id,
    update: 'SET expires = :expires, replacedBy = :new',
    // Of several concurrent rotations one succeeds. Its own retry must succeed too.
    condition:
      'attribute_exists(id) AND attribute_not_exists(revoked) ' +
      'AND (attribute_not_exists(replacedBy) OR replacedBy = :new)',
    values: { ':expires': lastSecond, ':new': issued.id },
  });
  const replaced = await replacement.catch((cause: Error) => {
    throw new AdministrationError(
      `It is unknown whether ${id} was replaced (${describeReason(cause)}). The new token ${issued.id} ` +
        `was issued, but cannot be shown. Run "revoke ${issued.id}", then repeat the command.`,
      { cause },
    );
  });
  if (replaced) {
    return { ...issued, replaced: { ...old, expires: lastSecond, replacedBy: issued.id } };
  }
  await deleteToken(database, table, issued.id).catch((cause: Error) => {
    throw new AdministrationError(
      `The token ${id} changed during the rotation. The new token ${issued.id} was issued, and ` +
        `may not have been deleted (${describeReason(cause)}). Run "revoke ${issued.id}".`,
      { cause },
    );
  });
  await findRotatable(database, table, id, now());
  throw new AdministrationError(`The token ${id} changed during the rotation. Repeat the command.`);
}

function calculateLifetime({ created, expires }: AccessTokenRecord): Lifetime {
  return expires === undefined ? 'never' : expires - created;
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

/** Returns the record of a token that can be rotated. Otherwise throws an AdministrationError. */
async function findRotatable(
  database: DynamoDBDocumentClient,
  table: string,
  id: string,
  now: number,
): Promise<AccessTokenRecord> {
  const item = await findItem(database, table, id);
  if (!item) {
    throw noSuchToken(id);
  }
  const record = readRecord(item);
  if ('fault' in record) {
    throw new AdministrationError(`${record.fault} Revoke it and issue a new one.`);
  }
  const status = getStatus(record, now);
  if (status !== 'revoked' && record.replacedBy !== undefined) {
    throw new AdministrationError(
      `The token ${id} was already replaced by ${record.replacedBy}. Rotate that one. ` +
        'If it is lost, revoke it and issue a new one.',
    );
  }
  if (status !== 'active') {
    throw new AdministrationError(`The token ${id} is ${status}. Issue a new one instead.`);
  }
  return record;
}

const noSuchToken = (id: string): AdministrationError =>
  new AdministrationError(`There is no token ${id}. Run "list" to see the ids.`);
