import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateScan,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { type AccessTokenRecord, errorsOf, newToken, recordOf, statusOf } from './record.ts';
import { digest, makeToken } from './token.ts';

/** The error of a person who administers access tokens: the problem, then its solution. */
export class AdministrationError extends Error {
  override name = 'AdministrationError';
}

/** A record with all its scopes, also those that this version does not know. */
export type TokenRecord = Omit<AccessTokenRecord, 'scopes'> & { scopes: string[] };

/** A record that cannot be read, and so grants no access. */
export interface UnreadableToken {
  id: string;
  owner: string | undefined;
  /** A sentence that says what is wrong with it, without the values. */
  fault: string;
}

export interface IssuedToken {
  id: string;
  /** The token itself, which cannot be recovered later. */
  token: string;
  record: TokenRecord;
}

type Grant = Pick<TokenRecord, 'owner' | 'scopes' | 'label'> & {
  /** Seconds since 1970, or undefined if the token never expires. */
  expires?: number | undefined;
};

/** In seconds. */
export type Lifetime = number | 'never';

/** Returns when a new token expires, in seconds since 1970, or undefined for never. */
export const expiresAt = (lifetime: Lifetime, now = Date.now()): number | undefined =>
  lifetime === 'never' ? undefined : secondsOf(now) + lifetime;

interface Rotation {
  /** For how many seconds the old token still works. */
  overlap: number;
  /** The lifetime of the new token, if it differs from the old one's. */
  lifetime?: Lifetime | undefined;
}

const secondsOf = (ms: number) => Math.floor(ms / 1000);

/** Stores a new access token. Throws an AdministrationError that names every fault of the grant. */
export async function issueToken(
  database: DynamoDBDocumentClient,
  table: string,
  grant: Grant,
  now: () => number = Date.now,
): Promise<IssuedToken> {
  const created = secondsOf(now());
  const { issues = [] } = v.safeParse(newToken, grant);
  const faults = errorsOf(issues);
  if (grant.expires !== undefined && !(grant.expires > created)) {
    faults.push('expires must be in the future');
  }
  if (faults.length > 0) {
    throw new AdministrationError(`No token was issued: ${faults.join('; ')}.`);
  }
  return storeNewToken(database, table, grant, created);
}

async function storeNewToken(
  database: DynamoDBDocumentClient,
  table: string,
  { owner, scopes, label, expires }: Grant,
  created: number,
): Promise<IssuedToken> {
  const { id, token } = makeToken();
  const record = {
    id,
    digest: digest(token),
    owner,
    scopes: [...new Set(scopes)],
    label,
    created,
    ...(expires !== undefined && { expires }),
  };
  await database.send(
    new PutCommand({
      TableName: table,
      Item: record,
      // The SDK may retry a put, so accept the item that it wrote before.
      ConditionExpression: 'attribute_not_exists(id) OR digest = :digest',
      ExpressionAttributeValues: { ':digest': record.digest },
    }),
  );
  return { id, token, record };
}

/**
 * Lists all tokens, or those of one owner, the oldest first. Records that cannot be read come last,
 * also those whose owner cannot be read.
 */
export async function listTokens(
  database: DynamoDBDocumentClient,
  table: string,
  owner?: string,
): Promise<(TokenRecord | UnreadableToken)[]> {
  const tokens: (TokenRecord | UnreadableToken)[] = [];
  const scan = { TableName: table, ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client: database }, scan)) {
    for (const token of Items.map(readRecord)) {
      const isForeign = token.owner !== undefined && token.owner !== owner;
      if (owner === undefined || !isForeign) {
        tokens.push(token);
      }
    }
  }
  const createdAt = (token: TokenRecord | UnreadableToken): number =>
    'fault' in token ? Number.MAX_SAFE_INTEGER : token.created;
  return tokens.sort((a, b) => createdAt(a) - createdAt(b) || (a.id < b.id ? -1 : 1));
}

/** Reads an item. Unlike the authorizer, the commands can work on a damaged one. */
function readRecord(item: Record<string, unknown>): TokenRecord | UnreadableToken {
  try {
    return { ...recordOf(item), scopes: item.scopes as string[] };
  } catch (error) {
    const owner = typeof item.owner === 'string' ? item.owner : undefined;
    return { id: String(item.id), owner, fault: (error as Error).message };
  }
}

/**
 * Revokes an access token and returns its record, in which `revoked` is the time of the first
 * revocation. Throws an AdministrationError if the id is unknown.
 */
export async function revokeToken(
  database: DynamoDBDocumentClient,
  table: string,
  id: string,
  now: () => number = Date.now,
): Promise<TokenRecord | UnreadableToken> {
  const item = await changeRecord(database, table, {
    id,
    update: 'SET revoked = if_not_exists(revoked, :now)',
    // Without it, an update of an unknown id would create an item.
    condition: 'attribute_exists(id)',
    values: { ':now': secondsOf(now()) },
  });
  if (!item) {
    throw unknownToken(id);
  }
  return readRecord(item);
}

/** A change of a token's record, in expressions of DynamoDB. */
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
): Promise<Record<string, unknown> | undefined> {
  const command = new UpdateCommand({
    TableName: table,
    Key: { id },
    UpdateExpression: update,
    ConditionExpression: condition,
    ExpressionAttributeValues: values,
    ReturnValues: 'ALL_NEW',
  });
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

/**
 * Replaces an access token by a new one with the same owner, scopes, label and lifetime. The old
 * one expires within `overlap` seconds. Throws an AdministrationError if the old one is unknown,
 * unreadable, revoked, expired or already replaced.
 */
export async function rotateToken(
  database: DynamoDBDocumentClient,
  table: string,
  id: string,
  { overlap, lifetime }: Rotation,
  now: () => number = Date.now,
): Promise<IssuedToken & { replaced: TokenRecord }> {
  const old = await findRotatable(database, table, id, now());
  const expires = expiresAt(lifetime ?? lifetimeOf(old), now());
  const issued = await storeNewToken(database, table, { ...old, expires }, secondsOf(now()));
  const lastSecond = Math.min(old.expires ?? Number.POSITIVE_INFINITY, secondsOf(now()) + overlap);
  const replacement = changeRecord(database, table, {
    id,
    update: 'SET expires = :expires, replacedBy = :new',
    // Of several rotations at a time one succeeds, and the SDK may retry its update.
    condition:
      'attribute_exists(id) AND attribute_not_exists(revoked) ' +
      'AND (attribute_not_exists(replacedBy) OR replacedBy = :new)',
    values: { ':expires': lastSecond, ':new': issued.id },
  });
  const replaced = await replacement.catch((cause: Error) => {
    throw new AdministrationError(
      `It is unknown whether ${id} was replaced (${cause.message}). The new token ${issued.id} ` +
        'was issued, and cannot be shown. "list" says more: revoke the new one, and rotate again.',
      { cause },
    );
  });
  if (replaced) {
    return { ...issued, replaced: { ...old, expires: lastSecond, replacedBy: issued.id } };
  }
  await deleteToken(database, table, issued.id);
  await findRotatable(database, table, id, now());
  throw new AdministrationError(`The token ${id} changed meanwhile. Repeat the command.`);
}

function lifetimeOf({ created, expires }: TokenRecord): Lifetime {
  return expires === undefined ? 'never' : expires - created;
}

/** Deletes the record of an access token, which then no longer works. */
export async function deleteToken(
  database: DynamoDBDocumentClient,
  table: string,
  id: string,
): Promise<void> {
  await database.send(new DeleteCommand({ TableName: table, Key: { id } }));
}

/** Returns the record of a token that can be rotated. Throws an AdministrationError that says why not. */
async function findRotatable(
  database: DynamoDBDocumentClient,
  table: string,
  id: string,
  now: number,
): Promise<TokenRecord> {
  const get = new GetCommand({ TableName: table, Key: { id }, ConsistentRead: true });
  const { Item } = await database.send(get);
  if (!Item) {
    throw unknownToken(id);
  }
  const record = readRecord(Item);
  if ('fault' in record) {
    throw new AdministrationError(`${record.fault} Revoke it and issue a new one.`);
  }
  const status = statusOf(record, now);
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

const unknownToken = (id: string): AdministrationError =>
  new AdministrationError(`There is no token ${id}. "list" shows the ids.`);
