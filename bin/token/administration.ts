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
import { digest, makeToken, tokenId } from '../../functions/access-tokens/token.ts';
import { accessTokenPattern } from '../../functions/contract/access-token.ts';
import { accessTokenKey } from '../../functions/contract/table-keys.ts';

/** A mistake of whoever administers tokens: the message is for them. */
export class TokenError extends Error {
  override name = 'TokenError';
}

export interface IssuedToken {
  id: string;
  /** The secret itself: it cannot be had again. */
  token: string;
  record: AccessTokenRecord;
}

export type ListedToken = Omit<AccessTokenRecord, 'digest'>;

type Grant = Pick<AccessTokenRecord, 'owner' | 'scopes' | 'label'> & {
  /** Seconds since 1970; undefined is never. */
  expires: number | undefined;
};

/** The id that someone gave to name a token. A whole token, pasted, names itself. */
function givenId(text: string): string {
  const id = tokenId(text) ?? text;
  // Not quoted: it may be most of a token.
  if (!/^[0-9A-Za-z]{12}$/.test(id))
    throw new TokenError(
      'That is not the id of a token: 12 letters and digits, as the list shows them.',
    );
  return id;
}

const key = (id: string) => ({ [accessTokenKey.partition]: id });
const secondsOf = (ms: number) => Math.floor(ms / 1000);

/** Stores a new access token in the table and returns it. Throws TokenError that names every fault of the grant. */
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
      // The SDK may send a put twice: its own item is in nobody's way.
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
    if (new RegExp(accessTokenPattern).test(grant[name]))
      faults.push(`${name} must not hold an access token`);
  if (grant.expires !== undefined && !(grant.expires > created))
    faults.push('expires must lie ahead');
  if (faults.length > 0)
    throw new TokenError(`No token was issued: ${[...new Set(faults)].join('; ')}.`);
}

/** All records, or those of one owner, the oldest first, without what is only there for the authorizer. */
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

/** Ends an access token for good, and returns its record: `revoked` is when it first was. Throws TokenError for an unknown id. */
export async function revokeToken(
  database: DynamoDBDocumentClient,
  table: string,
  idOrToken: string,
  now: () => number = Date.now,
): Promise<AccessTokenRecord> {
  const id = givenId(idOrToken);
  try {
    const { Attributes } = await database.send(
      new UpdateCommand({
        TableName: table,
        Key: key(id),
        UpdateExpression: 'SET revoked = if_not_exists(revoked, :now)',
        // An update would otherwise create what is not there.
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
 * Issues a new access token with the owner, scopes and label of another, which then expires within `overlap` seconds, or when it
 * would have anyway. Throws TokenError where there is nothing to replace: an unknown, revoked or expired token.
 */
export async function rotateToken(
  database: DynamoDBDocumentClient,
  table: string,
  idOrToken: string,
  { overlap, expires }: { overlap: number; expires: number | undefined },
  now: () => number = Date.now,
): Promise<IssuedToken & { replaced: AccessTokenRecord & { expires: number } }> {
  const id = givenId(idOrToken);
  const old = await findRecord(database, table, id);
  if (!old) throw unknownToken(id);
  const status = statusOf(old, now());
  if (status !== 'active')
    throw new TokenError(`The token ${id} is ${status}: issue a new one instead.`);

  const issued = await issueToken(database, table, { ...old, expires }, now);
  const lastSecond = Math.min(old.expires ?? Number.POSITIVE_INFINITY, secondsOf(now()) + overlap);
  try {
    await database.send(
      new UpdateCommand({
        TableName: table,
        Key: key(id),
        UpdateExpression: 'SET expires = :expires',
        // Never longer a life than it has by now, and none for what was revoked or removed meanwhile.
        ConditionExpression:
          'attribute_exists(id) AND attribute_not_exists(revoked) AND (attribute_not_exists(expires) OR expires >= :expires)',
        ExpressionAttributeValues: { ':expires': lastSecond },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    await database.send(new DeleteCommand({ TableName: table, Key: key(issued.id) }));
    throw new TokenError(
      `The token ${id} was revoked or replaced by someone else just now: look at the list.`,
    );
  }
  return { ...issued, replaced: { ...old, expires: lastSecond } };
}

const unknownToken = (id: string) => new TokenError(`There is no token ${id}.`);
