import { InvalidArgumentError, Option } from 'commander';
import { formatTime } from '../functions/access-tokens/record.ts';
import { findTokenId } from '../functions/access-tokens/token.ts';
import { allScopes, type Scope } from '../functions/shared/operations.ts';
import { tokenIdPattern } from '../functions/shared/token-form.ts';
import { describeClockError, requireClock } from '../lib/administration/clock.ts';
import { readFirstLine } from '../lib/administration/lines.ts';
import { parseOwner } from '../lib/administration/owner.ts';
import { formatExample, newProgram, runCommand } from '../lib/administration/program.ts';
import { openTarget, type TargetOptions } from '../lib/administration/target.ts';
import { CommandError } from '../lib/command-line/command-error.ts';
import { escapeControls } from '../lib/command-line/escape-controls.ts';
import type { Lifetime } from '../lib/tokens/record.ts';
import {
  type IssuedToken,
  issueToken,
  type ListedToken,
  listTokens,
  revokeToken,
  rotateToken,
} from '../lib/tokens/tokens.ts';

/** Runs the command in `process.argv`, and returns the exit code. */
export function tokenProgram(): Promise<number> {
  const program = newProgram('npm run -s token --').description(
    'Administers access tokens. Prints results on stdout, and messages on stderr.',
  );
  const lifetime = (more = '') =>
    new Option('--expires-in <duration>', `lifetime: 15m, 12h, 90d or never${more}`).argParser(
      parseLifetime,
    );
  const overlap = new Option('--overlap <duration>', 'how long the old token still works')
    .argParser(parseOverlap)
    .default(3600, '1h');
  const scopes = new Option('--scope <scope...>', 'scopes of the token')
    .choices(allScopes)
    .default(allScopes);
  const idHelp = 'id of the token, or - to read the whole token from standard input';

  program
    .command('issue')
    .addHelpText('after', formatExample('npm run -s token -- issue --owner alice --localhost'))
    .description('Issues a token and prints it, alone, on stdout. It cannot be shown again.')
    .requiredOption(
      '--owner <name>',
      'owner of the plants that the token gives access to',
      parseOwner,
    )
    .addOption(scopes)
    .addOption(lifetime().default(90 * 86_400, '90d'))
    .option('--label <text>', 'note about its use', '')
    .action(issue);

  program
    .command('list')
    .addHelpText('after', formatExample('npm run -s token -- list --stack PlantStore --active'))
    .description('Lists the tokens, without their secrets.')
    .option('--owner <name>', 'only tokens of this owner', parseOwner)
    .option('--active', 'only tokens that work')
    .option('--json', 'print JSON')
    .action(list);

  program
    .command('revoke')
    .addHelpText(
      'after',
      formatExample('npm run -s token -- revoke 0123456789Ab --stack PlantStore'),
    )
    .argument('<id>', idHelp)
    .description('Revokes a token for good.')
    .action(revoke);

  program
    .command('rotate')
    .addHelpText(
      'after',
      formatExample('npm run -s token -- rotate 0123456789Ab --stack PlantStore'),
    )
    .argument('<id>', idHelp)
    .description(
      'Replaces a token with a new one that has the same owner, scopes, label and lifetime. The ' +
        'old one expires after the overlap.',
    )
    .addOption(overlap)
    .addOption(lifetime(' (default: same as the old token)'))
    .action(rotate);

  return runCommand(
    program,
    'To give a whole token, use - in place of its id, and write the token to standard input.',
  );
}

function parseLifetime(text: string): Lifetime {
  if (text === 'never') {
    return text;
  }
  const seconds = parseDuration(text);
  if (!seconds) {
    throw new InvalidArgumentError('A lifetime looks like 15m, 12h or 90d, or is never.');
  }
  return seconds;
}

function parseOverlap(text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined) {
    throw new InvalidArgumentError('An overlap looks like 0s, 15m or 12h.');
  }
  return seconds;
}

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Returns the seconds of a duration like `15m`, or undefined for another text. */
function parseDuration(text: string): number | undefined {
  const [, count, unit = ''] = /^([0-9]{1,5})([smhd])$/.exec(text) ?? [];
  const seconds = unitSeconds[unit];
  return seconds === undefined ? undefined : Number(count) * seconds;
}

type IssueOptions = TargetOptions & {
  owner: string;
  scope: Scope[];
  label: string;
  expiresIn: Lifetime;
};

async function issue(options: IssueOptions): Promise<void> {
  const { owner, scope: scopes, label, expiresIn: lifetime } = options;
  const { database, tables, clock } = await openTarget(options);
  await requireClock(clock, database);
  show(await issueToken(database, tables.accessTokens, { owner, scopes, label, lifetime }));
}

type ListOptions = TargetOptions & {
  owner?: string;
  active?: true;
  json?: true;
};

async function list(options: ListOptions): Promise<void> {
  const { database, tables } = await openTarget(options);
  const all = await listTokens(database, tables.accessTokens, options.owner);
  const tokens = options.active ? all.filter(({ status }) => status === 'active') : all;
  console.log(options.json ? formatJson(tokens) : formatTable(tokens));
  for (const { fault } of tokens) {
    if (fault) {
      console.error(escapeControls(fault));
    }
  }
}

async function revoke(argument: string, options: TargetOptions): Promise<void> {
  const id = await readId(argument);
  const { database, tables, clock } = await openTarget(options);
  const revoked = await revokeToken(database, tables.accessTokens, id);
  const error = describeClockError(clock);
  if (error !== undefined) {
    console.error(`The recorded time is wrong, because this computer's clock is ${error}.`);
  }
  if (revoked.fault) {
    console.error(`Revoked ${id}. ${escapeControls(revoked.fault)}`);
    return;
  }
  console.error(
    `Revoked ${id} of ${revoked.owner}. API Gateway may accept it for up to 60 s more, or for as ` +
      'long as the setting authorizer-cache says.',
  );
}

type RotateOptions = TargetOptions & {
  /** In seconds. */
  overlap: number;
  expiresIn?: Lifetime;
};

async function rotate(argument: string, options: RotateOptions): Promise<void> {
  const id = await readId(argument);
  const { database, tables, clock } = await openTarget(options);
  await requireClock(clock, database);
  const rotation = { overlap: options.overlap, lifetime: options.expiresIn, show };
  const end = await rotateToken(database, tables.accessTokens, id, rotation);
  console.error(`It replaces ${id}, which works until ${formatExpiry(end)}.`);
}

function show({ id, token, record }: IssuedToken): void {
  console.log(token);
  console.error(
    `${id}: ${record.scopes.map(escapeControls).join(' ')} for ${record.owner}; ` +
      `expires: ${formatExpiry(record.expires)}. It cannot be shown again.`,
  );
}

/** Returns the token id that an argument gives. `-` stands for a whole token on standard input. */
async function readId(argument: string): Promise<string> {
  const id = argument === '-' ? findTokenId((await readFirstLine()).trim()) : argument;
  if (id !== undefined && new RegExp(`^${tokenIdPattern}$`).test(id)) {
    return id;
  }
  // Do not quote the input, because it may be part of a token.
  throw new CommandError(
    argument === '-'
      ? 'Standard input has no access token, or a mistyped one. Give the whole token, or its id ' +
          'in place of the -.'
      : 'This is not a token id. An id has 12 letters and digits. Run "list" to see the ids.',
  );
}

const formatExpiry = (expires: number | undefined): string =>
  expires === undefined ? 'never' : formatTime(expires);

/** Formats a table for people, with one token on each line. */
function formatTable(tokens: ListedToken[]): string {
  const rows = [['ID', 'OWNER', 'SCOPES', 'STATUS', 'EXPIRES', 'LABEL'], ...tokens.map(formatRow)];
  const printed = rows.map((row) => row.map(escapeControls));
  const widths = printed[0]?.map((_, i) => Math.max(...printed.map((row) => row[i]?.length ?? 0)));
  const lines = printed.map((row) =>
    row.map((cell, i) => cell.padEnd(widths?.[i] ?? 0)).join('  '),
  );
  return lines.map((line) => line.trimEnd()).join('\n');
}

function formatRow({ id, owner = '', scopes = [], status, expires, label = '' }: ListedToken) {
  if (status === 'unreadable') {
    return [id, owner, '', status, '', ''];
  }
  const hasAll = scopes.length === allScopes.length && allScopes.every((s) => scopes.includes(s));
  // Without seconds.
  const until = formatExpiry(expires).replace(/:\d\dZ$/, 'Z');
  return [id, owner, hasAll ? 'all' : scopes.join(' '), status, until, label];
}

/** Formats tokens as JSON, without digests. Escapes characters that a terminal would obey. */
function formatJson(tokens: ListedToken[]): string {
  const lines = JSON.stringify(tokens.map(toJsonMembers), null, 2).split('\n');
  return lines.map(escapeControls).join('\n');
}

/** Returns a token's members in JSON. Times are ISO 8601; a missing one is null. */
function toJsonMembers(token: ListedToken): object {
  const { id, owner, scopes, label, status, created, expires, revoked, fault } = token;
  if (status === 'unreadable') {
    return { id, owner, status, fault };
  }
  const toTime = (seconds: number | undefined) =>
    seconds === undefined ? null : formatTime(seconds);
  return {
    id,
    owner,
    scopes,
    label,
    status,
    created: toTime(created),
    expires: toTime(expires),
    revoked: toTime(revoked),
    fault,
  };
}

if (import.meta.main) {
  process.exitCode = await tokenProgram();
}
