import { type AccessTokenRecord, statusOf } from '../../functions/access-tokens/record.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { textTable } from '../command-line/text-table.ts';

/** Formats seconds since 1970 as ISO 8601. */
const isoTime = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace('.000', '');

export const expiry = (expires: number | undefined): string =>
  expires === undefined ? 'never' : isoTime(expires);

/**
 * Formats a table for people, with one token on each line. It fits 80 columns if the owners' names
 * do, because labels are cut off, times end in minutes, and who has all scopes has `all`.
 */
export function tableOf(tokens: AccessTokenRecord[], now: number): string {
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
  const labels = tokens.map(({ label }) => cut(label, Math.max(left, minLabel)));
  return textTable([[...heading, 'LABEL'], ...rows.map((row, i) => [...row, labels[i] ?? ''])]);
}

const minLabel = 5;

const cut = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** Formats JSON for programs. Times are ISO 8601, and what is absent is null. */
export const jsonOf = (tokens: AccessTokenRecord[], now: number): string =>
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
