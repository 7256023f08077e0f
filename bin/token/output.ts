import { statusOf } from '../../functions/access-tokens/record.ts';
import type { ListedToken } from '../administration/access-tokens.ts';
import { textTable } from '../command-line/text-table.ts';

/** Formats seconds since 1970 as ISO 8601. */
const isoTime = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace('.000', '');

export const expiry = (expires: number | undefined): string =>
  expires === undefined ? 'never' : isoTime(expires);

/** Formats a table for people, with one token on each line. */
export function tableOf(tokens: ListedToken[], now: number): string {
  const rows = tokens.map((token) => [
    token.id,
    token.owner,
    token.scopes.join(' '),
    statusOf(token, now),
    isoTime(token.created),
    expiry(token.expires),
    token.label,
  ]);
  return textTable([['ID', 'OWNER', 'SCOPES', 'STATUS', 'CREATED', 'EXPIRES', 'LABEL'], ...rows]);
}

/** Formats JSON for programs. Times are ISO 8601, and what is absent is null. */
export const jsonOf = (tokens: ListedToken[], now: number): string =>
  JSON.stringify(
    tokens.map(({ id, owner, scopes, label, created, expires, revoked, replacedBy }) => ({
      id,
      owner,
      scopes,
      label,
      status: statusOf({ expires, revoked }, now),
      created: isoTime(created),
      expires: expires === undefined ? null : isoTime(expires),
      revoked: revoked === undefined ? null : isoTime(revoked),
      replacedBy: replacedBy ?? null,
    })),
    null,
    2,
  );
