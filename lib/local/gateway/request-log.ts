import { styleText } from 'node:util';
import { stageName } from '../../../functions/shared/operations.ts';
import { tokenParts } from '../../../functions/shared/token-form.ts';
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
  const others = lines
    .map((line) => formatLogLine(line, handled.id))
    .filter((text) => text !== undefined);
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

/** Formats a log line, or its members that the request's line does not show, if there are any. */
function formatLogLine(line: LogLine, requestId: string): string | undefined {
  const { code, cause, ...members } = line;
  const isOfAuthorizer = code === 'TOKEN_ACCEPTED' || code === 'TOKEN_REFUSED';
  const isOfOperation = members.requestId === requestId;
  if (!isOfAuthorizer && !isOfOperation) {
    return formatLine(code, members, cause);
  }
  const others = omit(members, isOfAuthorizer ? authorizerMembers : operationMembers);
  const isShown = Object.keys(others).length === 0 && cause === undefined;
  return isShown ? undefined : formatLine(code, others, cause);
}

// Members that the request's line shows, or that name the request and its caller.
const authorizerMembers = ['reason', 'owner', 'tokenId'];
const operationMembers = ['requestId', 'owner', 'status', 'durationMs', 'problem'];

function omit(members: object, names: string[]): object {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}

function formatLine(code: string, members: object, cause: unknown): string {
  const text = Object.keys(members).length > 0 ? `${code} ${JSON.stringify(members)}` : code;
  return cause === undefined ? text : `${text}: ${formatCause(cause)}`;
}

function listDetails(handled: HandledRequest, lines: LogLine[]): string[] {
  const { status, url, authorization } = handled;
  const problem = handled.problem ?? lines.find((line) => line.problem)?.problem;
  const refusal = lines.find(({ code }) => code === 'TOKEN_REFUSED');
  const details: string[] = [];
  if (problem !== undefined) {
    details.push(`${problem}`);
  }
  if (refusal) {
    details.push(`the token is ${refusal.reason}`);
  }
  if (status === 401 && lines.length === 0) {
    details.push(explainAuthorization(authorization));
  }
  const isForbidden = status === 403 && problem === undefined;
  if ((isForbidden || problem === 'no-such-operation') && !url.startsWith(`/${stageName}/`)) {
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
