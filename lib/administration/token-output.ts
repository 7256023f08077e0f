import { formatTime } from '../../functions/access-tokens/record.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { defaultCacheSeconds } from '../../functions/shared/timeouts.ts';
import { CommandError } from '../command-line/command-error.ts';
import { escapeControls } from '../command-line/escape-controls.ts';
import { formatCount } from '../command-line/format-count.ts';
import type { IssuedToken, ListedToken } from '../tokens/tokens.ts';
import { writeSecret } from './secret.ts';

/**
 * Prints a new token, alone, on stdout. Throws a CommandError with its id if the token could not be
 * written.
 */
export async function printIssued({ id, token, record }: IssuedToken): Promise<void> {
  await writeSecret(token).catch(({ message }: Error) => {
    throw new CommandError(
      `Cannot write the new token (${message}), which works. Run "revoke ${id}", then repeat the ` +
        'command.',
    );
  });
  console.error(
    `${id}: ${record.scopes.map(escapeControls).join(' ')} for ${record.owner}; ` +
      `expires: ${formatExpiry(record.expires)}. It cannot be shown again.`,
  );
}

/** Prints the end of a replaced token, in seconds since 1970. */
export function printReplaced(id: string, end: number | undefined): void {
  console.error(`It replaces ${id}, which works until ${formatExpiry(end)}.`);
}

export function printRevoked(token: ListedToken): void {
  if (token.kind !== 'whole') {
    console.error(`Revoked ${token.id}. ${escapeControls(token.error)}`);
    return;
  }
  console.error(
    `Revoked ${token.id} of ${token.owner}. API Gateway may accept it for up to ` +
      `${defaultCacheSeconds} s more, or for as long as the setting authorizer-cache says.`,
  );
}

/** Prints a table for people, or JSON. Prints the errors of damaged records on stderr. */
export function printTokens(tokens: ListedToken[], { json }: { json?: true }): void {
  console.log(json ? formatJson(tokens) : formatTable(tokens));
  for (const token of tokens) {
    if (token.kind !== 'whole') {
      console.error(escapeControls(token.error));
    }
  }
}

const formatExpiry = (expires: number | undefined): string =>
  expires === undefined ? 'never' : formatTime(expires);

const titles = ['ID', 'OWNER', 'SCOPES', 'STATUS', 'EXPIRES', 'LABEL'];

function formatTable(tokens: ListedToken[]): string {
  const now = Date.now() / 1000;
  const rows = [titles, ...tokens.map((token) => formatRow(token, now))].map((row) =>
    row.map(escapeControls),
  );
  const widths = titles.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '),
  );
  return lines.map((line) => line.trimEnd()).join('\n');
}

function formatRow(token: ListedToken, now: number): string[] {
  if (token.kind === 'unreadable') {
    return [token.id, token.owner ?? '', '', 'unreadable', '', ''];
  }
  const { id, owner, status } = token;
  const { scopes, expires } = token.kind === 'whole' ? token.record : token.access;
  const label = token.kind === 'whole' ? token.record.label : '';
  const end = formatMinute(expires) + (status === 'active' ? formatRest(expires, now) : '');
  return [id, owner, formatScopes(scopes), status, end, label];
}

const daySeconds = 86_400;

/** Returns in how many days a token ends, like ` (in 9 days)`, if it ends within 14 days. */
function formatRest(expires: number | undefined, now: number): string {
  const days = expires === undefined ? Number.POSITIVE_INFINITY : (expires - now) / daySeconds;
  if (days > 14) {
    return '';
  }
  return days < 1 ? ' (in less than a day)' : ` (in ${formatCount(Math.floor(days), 'day')})`;
}

function formatScopes(scopes: readonly string[]): string {
  const hasAll = scopes.length === allScopes.length && allScopes.every((s) => scopes.includes(s));
  return hasAll ? 'all' : scopes.join(' ');
}

/** Formats the end of a token without seconds. */
const formatMinute = (expires: number | undefined): string =>
  formatExpiry(expires).replace(/:\d\dZ$/, 'Z');

/** Formats tokens as JSON, without digests. Escapes characters that a terminal would obey. */
function formatJson(tokens: ListedToken[]): string {
  const lines = JSON.stringify(tokens.map(toJson), null, 2).split('\n');
  return lines.map(escapeControls).join('\n');
}

/** Returns a token's members in JSON. Times are ISO 8601; a missing one is null. */
function toJson(token: ListedToken): object {
  if (token.kind === 'unreadable') {
    const { id, owner, error } = token;
    return { id, owner, status: token.kind, fault: error };
  }
  const { id, owner, status } = token;
  if (token.kind === 'damaged') {
    const { scopes, expires, revoked } = token.access;
    const times = { created: null, expires: toTime(expires), revoked: toTime(revoked) };
    return { id, owner, scopes, status, ...times, fault: token.error };
  }
  const { scopes, label, created, expires, revoked } = token.record;
  const times = { created: toTime(created), expires: toTime(expires), revoked: toTime(revoked) };
  return { id, owner, scopes, label, status, ...times };
}

const toTime = (seconds: number | undefined): string | null =>
  seconds === undefined ? null : formatTime(seconds);
