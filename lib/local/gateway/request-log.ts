import { styleText } from 'node:util';
import { tokenParts } from '../../../functions/shared/access-token.ts';
import { stageName } from '../../../functions/shared/operations.ts';
import type { HandledRequest } from './gateway.ts';

/** Returns a request's line and, below it, the causes of a failure. */
export function formatRequest(handled: HandledRequest): string {
  const { method, url, status, ms, log, failure } = handled;
  const lines: LogLine[] = log.map((line) => JSON.parse(line));
  const time = new Date().toISOString().slice('2026-01-01T'.length, -1);
  const head = [
    paint('dim', time),
    method.padEnd('DELETE'.length),
    redact(url),
    paint(chooseColour(status), `${status}`),
    `${Math.round(ms)} ms`,
  ];
  const details = listDetails(handled, lines);
  if (details.length > 0) {
    head.push(paint('dim', details.join(', ')));
  }
  const others = lines.flatMap((line) => formatLogLine(line, handled.id));
  if (failure) {
    others.push(failure.stack);
  }
  return [head.join(' '), ...others.map(indent)].join('\n');
}

/** A line that a function logged with a code. */
interface LogLine {
  code: string;
  cause?: unknown;
  [member: string]: unknown;
}

/** Returns a log line's code, members and cause, unless the request's line shows them all. */
function formatLogLine(line: LogLine, requestId: string): string[] {
  const { code, cause, ...members } = line;
  const shown = listShownMembers(line, requestId);
  const others = Object.entries(members).filter(([name]) => !shown.includes(name));
  if (shown.length > 0 && others.length === 0 && cause === undefined) {
    return [];
  }
  const text = others.length > 0 ? `${code} ${JSON.stringify(Object.fromEntries(others))}` : code;
  return [cause === undefined ? text : `${text}: ${formatCause(cause)}`];
}

/** Returns the members that the request's line shows, or that name the request and its caller. */
function listShownMembers({ code, requestId: id }: LogLine, requestId: string): string[] {
  if (code === 'TOKEN_ACCEPTED' || code === 'TOKEN_REFUSED') {
    return ['reason', 'owner', 'tokenId'];
  }
  return id === requestId ? ['requestId', 'owner', 'status', 'durationMs', 'problem'] : [];
}

function listDetails(
  { status, body, url, authorization, log }: HandledRequest,
  lines: LogLine[],
): string[] {
  const details: string[] = [];
  const code = status >= 400 ? /"urn:problem-type:[\w-]+:([\w-]+)"/.exec(body)?.[1] : undefined;
  if (code !== undefined) {
    details.push(code);
  }
  for (const { code, reason } of lines) {
    if (code === 'TOKEN_REFUSED') {
      details.push(`the token is ${reason}`);
    }
  }
  if (status === 401 && log.length === 0) {
    details.push(explainAuthorization(authorization));
  }
  const isForbidden = status === 403 && code === undefined;
  if ((isForbidden || code === 'no-such-operation') && !url.startsWith(`/${stageName}/`)) {
    details.push(`all paths begin with /${stageName}/`);
  }
  return details;
}

const { prefix, id, secret, checksum } = tokenParts;
const tokenLength = prefix.length + id + '_'.length + secret + checksum;

/** Returns why an Authorization header holds no token, without quoting it. */
function explainAuthorization(header: string | undefined): string {
  if (header === undefined) {
    return 'no Authorization header';
  }
  const token = header.replace(/^bearer +/i, '');
  if (token === header) {
    return 'the Authorization header is not "Bearer TOKEN"';
  }
  if (!token.startsWith(prefix)) {
    return `the token does not begin with ${prefix}`;
  }
  if (token.length !== tokenLength) {
    return `the token has ${token.length} characters instead of ${tokenLength}`;
  }
  return 'the token has a character that tokens do not have';
}

/** Returns an error as functions log it, with any members beyond those of its stack. */
function formatCause(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null) {
    return String(cause);
  }
  const { stack, cause: inner, ...members } = cause as Record<string, unknown>;
  const lines = [];
  if (stack) {
    lines.push(stack);
    delete members.name;
    delete members.message;
  }
  if (!stack || Object.keys(members).length > 0) {
    lines.push(JSON.stringify(members));
  }
  if (inner !== undefined) {
    lines.push(`caused by ${formatCause(inner)}`);
  }
  return lines.join('\n');
}

type Format = 'dim' | 'green' | 'yellow' | 'red';

function chooseColour(status: number): Format {
  if (status < 400) {
    return 'green';
  }
  return status < 500 ? 'yellow' : 'red';
}

/** Colours a text if stderr is a terminal. */
function paint(format: Format, text: string): string {
  return styleText(format, text, { stream: process.stderr });
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${redact(line)}`)
    .join('\n');
}

// Not in capitals, because a log code may begin with the same letters.
const tokens = new RegExp(`${prefix.replace('_', '(_|%5[fF])')}[\\w%]*`, 'g');

/** Hides access tokens and escapes control characters. */
function redact(text: string): string {
  return text
    .replace(tokens, `${prefix}…`)
    .replace(/[^\x20-\x7e…]/g, (character) => encodeURIComponent(character.toWellFormed()));
}
