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
  type AccessTokenRecord,
  faultsOf,
  findRecord,
  grant,
  recordOf,
  statusOf,
} from '../../functions/access-tokens/record.ts';
import { digest, makeToken } from '../../functions/access-tokens/token.ts';
import { AdministrationError } from './administration-error.ts';

export interface IssuedToken {
  id: string;
  /** The token itself, which cannot be recovered later. */
  token: string;
  record: AccessTokenRecord;
}

type Grant = Pick<AccessTokenRecord, 'owner' | 'scopes' | 'label'> & {
  /** Seconds since 1970, or undefined if the token never expires. */
  expires: number | undefined;
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
  { owner, scopes, label, expires }: Grant,
  now: () => number = Date.now,
): Promise<IssuedToken> {
  const created = secondsOf(now());
  const { issues = [] } = v.safeParse(grant, { owner, scopes, label });
  const faults = faultsOf(issues);
  if (expires !== undefined && !(expires > created)) {
    faults.push('expires must be in the future');
  }
  if (faults.length > 0) {
    throw new AdministrationError(`No token was issued: ${faults.join('; ')}.`);
  }

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

/** Lists all tokens, or those of one owner, the oldest first. */
export async function listTokens(
  database: DynamoDBDocumentClient,
  table: string,
  owner?: string,
): Promise<AccessTokenRecord[]> {
  const tokens: AccessTokenRecord[] = [];
  const scan = { TableName: table, ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client: database }, scan)) {
    const chosen = Items.filter((item) => owner === undefined || item.owner === owner);
    tokens.push(...chosen.map(recordOf));
  }
  return tokens.sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1));
}

/** A change of a token's record, in expressions of DynamoDB. */
interface Change {
  id: string;
  update: string;
  condition: string;
  values: Record<string, unknown>;
}

/** Returns the changed record, or undefined if the condition does not hold. */
async function changeRecord(
  database: DynamoDBDocumentClient,
  table: string,
  { id, update, condition, values }: Change,
): Promise<AccessTokenRecord | undefined> {
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
    return recordOf(Attributes);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) {
      return undefined;
    }
    throw error;
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
): Promise<AccessTokenRecord> {
  const record = await changeRecord(database, table, {
    id,
    update: 'SET revoked = if_not_exists(revoked, :now)',
    // Without it, an update of an unknown id would create an item.
    condition: 'attribute_exists(id)',
    values: { ':now': secondsOf(now()) },
  });
  if (!record) {
    throw unknownToken(id);
  }
  return record;
}

/**
 * Replaces an access token by a new one with the same owner, scopes, label and lifetime. The old
 * one expires within `overlap` seconds. Throws an AdministrationError if the old one is unknown,
 * revoked, expired or already replaced.
 */
export async function rotateToken(
  database: DynamoDBDocumentClient,
  table: string,
  id: string,
  { overlap, lifetime }: Rotation,
  now: () => number = Date.now,
): Promise<IssuedToken & { replaced: AccessTokenRecord }> {
  const find = () => findRecord(database, table, id);
  const old = await find();
  const obstacle = obstacleToRotation(id, old, now());
  if (!old || obstacle) {
    throw obstacle;
  }

  const expires = expiresAt(lifetime ?? lifetimeOf(old), now());
  const issued = await issueToken(database, table, { ...old, expires }, now);
  const lastSecond = Math.min(old.expires ?? Number.POSITIVE_INFINITY, secondsOf(now()) + overlap);
  const replaced = await changeRecord(database, table, {
    id,
    update: 'SET expires = :expires, replacedBy = :new',
    // Of several rotations at a time one succeeds, and the SDK may retry its update.
    condition:
      'attribute_exists(id) AND attribute_not_exists(revoked) ' +
      'AND (attribute_not_exists(replacedBy) OR replacedBy = :new)',
    values: { ':expires': lastSecond, ':new': issued.id },
  });
  if (replaced) {
    return { ...issued, replaced };
  }
  await deleteToken(database, table, issued.id);
  throw obstacleToRotation(id, await find(), now());
}

function lifetimeOf({ created, expires }: AccessTokenRecord): Lifetime {
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

/** Returns the reason why a token cannot be rotated, or undefined if it can be. */
function obstacleToRotation(
  id: string,
  record: AccessTokenRecord | undefined,
  now: number,
): AdministrationError | undefined {
  if (!record) {
    return unknownToken(id);
  }
  const status = statusOf(record, now);
  if (status !== 'revoked' && record.replacedBy !== undefined) {
    return new AdministrationError(
      `The token ${id} was already replaced by ${record.replacedBy}. Rotate that one. ` +
        'If it is lost, revoke it and issue a new one.',
    );
  }
  if (status === 'active') {
    return undefined;
  }
  return new AdministrationError(`The token ${id} is ${status}. Issue a new one instead.`);
}

const unknownToken = (id: string): AdministrationError =>
  new AdministrationError(`There is no token ${id}. "list" shows the ids.`);
