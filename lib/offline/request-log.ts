import { styleText } from 'node:util';
import { tokenParts } from '../../functions/shared/access-token.ts';
import { stageName } from '../../functions/shared/operations.ts';
import type { HandledRequest } from './gateway.ts';

/** Returns a request's line and, below it, the causes of a failure. */
export function requestLines(handled: HandledRequest): string {
  const { method, url, status, ms, log, failure } = handled;
  const logged: LogLine[] = log.map((line) => JSON.parse(line));
  const head = [
    paint('dim', new Date().toISOString().slice('2026-01-01T'.length, -1)),
    method.padEnd('DELETE'.length),
    printable(url),
    paint(colourOf(status), `${status}`),
    `${Math.round(ms)} ms`,
  ];
  const details = detailsOf(handled, logged);
  if (details.length > 0) {
    head.push(paint('dim', details.join(', ')));
  }
  const causes = logged.flatMap(({ code, cause }) => (cause ? `${code}: ${causeOf(cause)}` : []));
  if (failure) {
    causes.push(failure.stack);
  }
  return [head.join(' '), ...causes.map(indented)].join('\n');
}

/** What a function logs with a code. The other members are not shown. */
interface LogLine {
  code: string;
  /** Why a token was refused. */
  reason?: string;
  cause?: Cause | string;
}

/** An error as functions log it. */
interface Cause {
  stack?: string;
  message?: string;
  cause?: Cause | string;
}

function detailsOf(
  { status, body, url, authorization, log }: HandledRequest,
  logged: LogLine[],
): string[] {
  const details: string[] = [];
  const code = status >= 400 ? /"urn:problem-type:[\w-]+:([\w-]+)"/.exec(body)?.[1] : undefined;
  if (code !== undefined) {
    details.push(code);
  }
  for (const { reason } of logged) {
    if (reason !== undefined) {
      details.push(`the token is ${reason}`);
    }
  }
  if (status === 401 && log.length === 0) {
    details.push(authorizationError(authorization));
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
function authorizationError(header: string | undefined): string {
  if (header === undefined) {
    return 'no Authorization header';
  }
  const [, token] = /^bearer +(.*)$/i.exec(header) ?? [];
  if (token === undefined) {
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

function causeOf(cause: Cause | string): string {
  if (typeof cause === 'string') {
    return cause;
  }
  const { cause: inner, ...members } = cause;
  const text = cause.stack || cause.message || JSON.stringify(members);
  return inner ? `${text}\ncaused by ${causeOf(inner)}` : text;
}

type Format = 'dim' | 'green' | 'yellow' | 'red';

function colourOf(status: number): Format {
  if (status < 400) {
    return 'green';
  }
  return status < 500 ? 'yellow' : 'red';
}

/** Colours a text if stderr is a terminal. */
function paint(format: Format, text: string): string {
  return styleText(format, text, { stream: process.stderr });
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${printable(line)}`)
    .join('\n');
}

const tokens = new RegExp(`${prefix.replace('_', '(_|%5f)')}[\\w%]*`, 'gi');

/** Hides access tokens and escapes control characters. */
function printable(text: string): string {
  return text
    .replace(tokens, `${prefix}…`)
    .replace(/[^\x20-\x7e…]/g, (character) => encodeURIComponent(character.toWellFormed()));
}
