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
  accessTokenRecord,
  findRecord,
  recordOf,
  statusOf,
} from '../../functions/access-tokens/record.ts';
import { digest, makeToken } from '../../functions/access-tokens/token.ts';
import { accessTokenKey } from '../../functions/shared/table-schema.ts';
import { mayHoldSecret } from '../command-line/secret-arguments.ts';
import { AdministrationError } from './administration-error.ts';

export interface IssuedToken {
  id: string;
  /** The token itself, which cannot be recovered later. */
  token: string;
  record: AccessTokenRecord;
}

export type ListedToken = Omit<AccessTokenRecord, 'digest'>;

type Grant = Pick<AccessTokenRecord, 'owner' | 'scopes' | 'label'> & {
  /** Seconds since 1970, or undefined if the token never expires. */
  expires: number | undefined;
};

const key = (id: string) => ({ [accessTokenKey.partition]: id });
const secondsOf = (ms: number) => Math.floor(ms / 1000);

/** Stores a new access token. Throws an AdministrationError that names every fault of the grant. */
export async function issueToken(
  database: DynamoDBDocumentClient,
  table: string,
  grant: Grant,
  now: () => number = Date.now,
): Promise<IssuedToken> {
  const created = secondsOf(now());
  checkGrant(grant, created);
  const { id, token } = makeToken();
  const { owner, scopes, label, expires } = grant;
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

function checkGrant(grant: Grant, created: number): void {
  const { issues = [] } = v.safeParse(
    v.pick(accessTokenRecord, ['owner', 'scopes', 'label']),
    grant,
  );
  const faults = issues.map(({ path, message }) => `${path?.[0].key} ${message}`);
  for (const name of ['owner', 'label'] as const)
    if (mayHoldSecret(grant[name])) faults.push(`${name} looks like an access token or its secret`);
  if (grant.expires !== undefined && !(grant.expires > created))
    faults.push('expires must be in the future');
  if (faults.length > 0)
    throw new AdministrationError(`No token was issued: ${[...new Set(faults)].join('; ')}.`);
}

/** Lists all tokens, or those of one owner, the oldest first. */
export async function listTokens(
  database: DynamoDBDocumentClient,
  table: string,
  owner?: string,
): Promise<ListedToken[]> {
  const only =
    owner === undefined
      ? {}
      : {
          FilterExpression: '#owner = :owner',
          ExpressionAttributeNames: { '#owner': 'owner' },
          ExpressionAttributeValues: { ':owner': owner },
        };
  const tokens: ListedToken[] = [];
  for await (const { Items = [] } of paginateScan(
    { client: database },
    { TableName: table, ConsistentRead: true, ...only },
  ))
    tokens.push(...Items.map(recordOf).map(({ digest: _, ...listed }) => listed));
  return tokens.sort((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1));
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
  try {
    const { Attributes } = await database.send(
      new UpdateCommand({
        TableName: table,
        Key: key(id),
        UpdateExpression: 'SET revoked = if_not_exists(revoked, :now)',
        // Without this condition, an update of an unknown id would create an item.
        ConditionExpression: 'attribute_exists(id)',
        ExpressionAttributeValues: { ':now': secondsOf(now()) },
        ReturnValues: 'ALL_NEW',
      }),
    );
    return recordOf(Attributes ?? {});
  } catch (error) {
    throw error instanceof ConditionalCheckFailedException ? unknownToken(id) : error;
  }
}

/**
 * Replaces an access token by a new one with the same owner, scopes and label. The old one expires
 * within `overlap` seconds. Throws an AdministrationError if the old one is unknown, revoked,
 * expired or already replaced.
 */
export async function rotateToken(
  database: DynamoDBDocumentClient,
  table: string,
  id: string,
  { overlap, expires }: { overlap: number; expires: number | undefined },
  now: () => number = Date.now,
): Promise<IssuedToken & { replaced: AccessTokenRecord & { expires: number } }> {
  const find = () => findRecord(database, table, id);
  const old = await find();
  const obstacle = obstacleToRotation(id, old, now());
  if (!old || obstacle) throw obstacle;

  const issued = await issueToken(database, table, { ...old, expires }, now);
  const lastSecond = Math.min(old.expires ?? Number.POSITIVE_INFINITY, secondsOf(now()) + overlap);
  try {
    await database.send(
      new UpdateCommand({
        TableName: table,
        Key: key(id),
        UpdateExpression: 'SET expires = :expires, replacedBy = :new',
        // Of several rotations at a time one succeeds, and the SDK may retry its update.
        ConditionExpression:
          'attribute_exists(id) AND attribute_not_exists(revoked) ' +
          'AND (attribute_not_exists(replacedBy) OR replacedBy = :new)',
        ExpressionAttributeValues: { ':expires': lastSecond, ':new': issued.id },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    await database.send(new DeleteCommand({ TableName: table, Key: key(issued.id) }));
    throw obstacleToRotation(id, await find(), now()) ?? error;
  }
  return { ...issued, replaced: { ...old, expires: lastSecond, replacedBy: issued.id } };
}

/** Returns the reason why a token cannot be rotated, or undefined if it can be. */
function obstacleToRotation(id: string, record: AccessTokenRecord | undefined, now: number) {
  if (!record) return unknownToken(id);
  const status = statusOf(record, now);
  if (status === 'revoked')
    return new AdministrationError(`The token ${id} is revoked. Issue a new one instead.`);
  if (record.replacedBy !== undefined)
    return new AdministrationError(
      `The token ${id} was already replaced by ${record.replacedBy}. Rotate that one. ` +
        'If it is lost, revoke it and issue a new one.',
    );
  if (status === 'expired')
    return new AdministrationError(`The token ${id} is expired. Issue a new one instead.`);
  return undefined;
}

const unknownToken = (id: string) => new AdministrationError(`There is no token ${id}.`);
