import { createInterface } from 'node:readline';
import { type AccessTokenRecord, statusOf } from '../../functions/access-tokens/record.ts';
import { tokenId } from '../../functions/access-tokens/token.ts';
import { tokenIdPattern } from '../../functions/shared/access-token.ts';
import { allScopes, type Scope } from '../../functions/shared/operations.ts';
import {
  expiresAt,
  type IssuedToken,
  issueToken,
  type Lifetime,
  listTokens,
  revokeToken,
  rotateToken,
} from '../administration/access-tokens.ts';
import { AdministrationError } from '../administration/administration-error.ts';
import { openTarget } from '../administration/target.ts';
import type { TargetOptions } from '../administration/target-options.ts';
import { printable } from '../command-line/printable.ts';
import { textTable } from '../command-line/text-table.ts';

type IssueOptions = TargetOptions & {
  owner: string;
  scope: Scope[];
  label: string;
  expiresIn: Lifetime;
};

export async function issue(options: IssueOptions): Promise<void> {
  const { owner, scope: scopes, label } = options;
  const grant = { owner, scopes, label, expires: expiresAt(options.expiresIn) };
  const { database, table } = await openTarget(options);
  show(await issueToken(database, table, grant));
}

type ListOptions = TargetOptions & {
  owner?: string;
  active?: true;
  json?: true;
};

export async function list(options: ListOptions): Promise<void> {
  const now = Date.now();
  const { database, table } = await openTarget(options);
  const tokens = await listTokens(database, table, options.owner);
  const chosen = options.active
    ? tokens.filter((token) => statusOf(token, now) === 'active')
    : tokens;
  console.log(options.json ? jsonOf(chosen, now) : tableOf(chosen, now));
}

export async function revoke(argument: string, options: TargetOptions): Promise<void> {
  const id = await idFrom(argument);
  const { database, table } = await openTarget(options);
  const { owner } = await revokeToken(database, table, id);
  console.error(
    `Revoked ${id} of ${owner}. API Gateway may accept it for up to 60 s more, or for as ` +
      'long as the setting authorizer-cache says.',
  );
}

type RotateOptions = TargetOptions & {
  /** In seconds. */
  overlap: number;
  expiresIn?: Lifetime;
};

export async function rotate(argument: string, options: RotateOptions): Promise<void> {
  const id = await idFrom(argument);
  const lives = { overlap: options.overlap, lifetime: options.expiresIn };
  const { database, table } = await openTarget(options);
  const issued = await rotateToken(database, table, id, lives);
  show(issued);
  console.error(`It replaces ${id}, which works until ${expiry(issued.replaced.expires)}.`);
}

function show({ id, token, record }: IssuedToken): void {
  console.log(token);
  console.error(
    `${id}: ${record.scopes.join(' ')} for ${record.owner}; ` +
      `expires: ${expiry(record.expires)}. It cannot be shown again.`,
  );
}

/** Returns the token id that an argument gives. `-` stands for a whole token on standard input. */
async function idFrom(argument: string): Promise<string> {
  const id = argument === '-' ? tokenId(await firstLine()) : argument;
  if (id !== undefined && new RegExp(`^${tokenIdPattern}$`).test(id)) {
    return id;
  }
  // Do not quote the input, because it may be part of a token.
  throw new AdministrationError(
    argument === '-'
      ? 'Standard input holds no access token, or a mistyped one. Give the whole token, or its ' +
          'id in place of the -.'
      : 'That is not a token id. An id has 12 letters and digits, as "list" shows it.',
  );
}

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) {
    return line.trim();
  }
  return '';
}

/** Formats seconds since 1970 as ISO 8601. */
const isoTime = (seconds: number | undefined) =>
  seconds === undefined ? null : new Date(seconds * 1000).toISOString().replace('.000', '');
const expiry = (expires: number | undefined) => isoTime(expires) ?? 'never';

/**
 * Formats a table for people, with one token on each line. It fits 80 columns if the owners' names
 * do, because labels are cut off, times end in minutes, and `all` stands for all scopes.
 */
function tableOf(tokens: AccessTokenRecord[], now: number): string {
  const heading = ['ID', 'OWNER', 'SCOPES', 'STATUS', 'EXPIRES'];
  const rows = tokens.map((token) => [
    token.id,
    token.owner,
    token.scopes.length === allScopes.length ? 'all' : token.scopes.join(' '),
    statusOf(token, now),
    expiry(token.expires).replace(/:\d\dZ$/, 'Z'),
  ]);
  const columns = textTable([heading, ...rows]);
  const left = 80 - Math.max(...columns.split('\n').map(({ length }) => length)) - 2;
  const labels = tokens.map(({ label }) => cut(printable(label), Math.max(left, minLabel)));
  return textTable([[...heading, 'LABEL'], ...rows.map((row, i) => [...row, labels[i] ?? ''])]);
}

const minLabel = 5;
/** Cuts off a text, but not within a character of two code units. */
const cut = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text;

/** Formats JSON for programs. Times are ISO 8601, and what is absent is null. */
const jsonOf = (tokens: AccessTokenRecord[], now: number): string =>
  JSON.stringify(
    tokens.map(({ id, owner, scopes, label, created, expires, revoked, replacedBy }) => ({
      id,
      owner,
      scopes,
      label,
      status: statusOf({ expires, revoked }, now),
      created: isoTime(created),
      expires: isoTime(expires),
      revoked: isoTime(revoked),
      replacedBy: replacedBy ?? null,
    })),
    null,
    2,
  );
