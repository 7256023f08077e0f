import { stripVTControlCharacters, styleText } from 'node:util';
import { tokenParts } from '../../functions/shared/access-token.ts';
import { isLogCode } from '../../functions/shared/log-codes.ts';
import { operationNames } from '../../functions/shared/operations.ts';
import type { FunctionCall } from '../../lib/offline/database/database-front.ts';
import type { Answered } from '../../lib/offline/emulator.ts';
import type { Trace } from '../../lib/offline/trace.ts';
import { logEventBytes, type Usage } from '../../lib/prices.ts';
import { authorizationFault } from './authorization-fault.ts';

/** What requests of one operation have used. */
export interface Total extends Usage {
  coldStarts: number;
  /** Requests that the authorizer refused, for which API Gateway does not charge. */
  refused: number;
}

type Entry = Record<string, unknown> & { message?: unknown };

/** A request in progress. */
interface Open {
  denied: FunctionCall[];
  /** The messages of our functions: each has a code. */
  messages: Record<string, unknown>[];
  reads: number;
  writes: number;
  logBytes: number;
}

const time = () => new Date().toISOString().slice('2026-01-01T'.length, -1);

export interface RequestLog {
  /** Gets every line that Lambda would log. */
  log(functionName: string, line: string, traceId?: string): void;
  /** Gets every call of a function to the database. */
  call(made: FunctionCall): void;
  /** Gets every request that arrives. Returns a function for its answer. */
  request(trace: Trace): (answered: Answered) => void;
  /** What has been used so far, by operation. */
  totals: Map<string, Total>;
}

/**
 * Prints one line for each request that the emulator answers, and after it the cause in full if
 * the fault is ours. Lambda's own lines are printed if it is verbose. Counts what the requests use.
 */
export function requestLog(print: (text: string) => void, { verbose = false } = {}): RequestLog {
  const open = new Map<string, Open>();
  const totals = new Map<string, Total>();

  function log(functionName: string, line: string, traceId?: string): void {
    const request = open.get(traceId ?? '');
    if (request) {
      request.logBytes += logEventBytes(line);
    }
    const entry = parse(line);
    if (isOurs(entry?.message)) {
      request?.messages.push(entry.message);
    }
    if (verbose) {
      print(`${functionName} ${line}`);
      return;
    }
    if (!entry) {
      if (!platformText.test(line)) {
        print(`${functionName} ${ownFrames(line)}`);
      }
      return;
    }
    const isToldOtherwise = isOurs(entry.message) || isPlatforms(entry) || isRefusal(entry);
    if (!isToldOtherwise) {
      print(`${time()} ${entry.level} ${functionName} ${textOf(entry)}`);
    }
  }

  function call(made: FunctionCall): void {
    const request = open.get(made.traceId ?? '');
    if (!request) {
      return;
    }
    request.reads += made.units.reads;
    request.writes += made.units.writes;
    if (made.denied !== undefined) {
      request.denied.push(made);
    }
  }

  function request(trace: Trace): (answered: Answered) => void {
    const opened: Open = { denied: [], messages: [], ...unused };
    open.set(trace.id, opened);
    return (answered) => {
      open.delete(trace.id);
      count(trace, answered, opened);
      print(requestLine(trace, answered, opened));
      for (const { code, cause } of opened.messages) {
        if (cause !== undefined) {
          print(indent(`${code}: ${causeOf(cause)}`));
        }
      }
      for (const denied of opened.denied) {
        print(indent(adviceOn(denied)));
      }
    };
  }

  function count(trace: Trace, { method, statusCode }: Answered, opened: Open): void {
    const operation = trace.resourcePath ? `${method} ${trace.resourcePath}` : 'no operation';
    const isRefused = trace.resourcePath !== undefined && [401, 403].includes(statusCode);
    const total = totals.get(operation) ?? { ...nothing };
    totals.set(operation, total);
    total.requests += 1;
    total.refused += isRefused ? 1 : 0;
    for (const counted of ['invocations', 'coldStarts'] as const) {
      total[counted] += trace[counted];
    }
    for (const used of ['reads', 'writes', 'logBytes'] as const) {
      total[used] += opened[used];
    }
  }

  return { log, call, request, totals };
}

const unused = { reads: 0, writes: 0, logBytes: 0 };
const nothing: Total = { ...unused, requests: 0, refused: 0, invocations: 0, coldStarts: 0 };

function requestLine(
  trace: Trace,
  { method, url, statusCode, durationMs, body, stageName }: Answered,
  { messages, reads, writes }: Open,
): string {
  const { authorizer, principalId, coldStarts } = trace;
  const reason = messages.find(({ reason }) => typeof reason === 'string')?.reason;
  const isOutside = url.split(/[/?]/)[1] !== stageName;
  const details = [
    principalId ?? '',
    statusCode >= 400 ? problemCode(body) : '',
    statusCode === 401 && authorizer === undefined ? authorizationFault(trace.identity) : '',
    reason === undefined ? '' : `token ${reason}`,
    isOutside ? `forgotten /${stageName}? All paths begin with it: /${stageName}${url}` : '',
    authorizer ? `authorizer ${authorizer}` : '',
    coldStarts > 0 ? 'cold start' : '',
    reads > 0 ? plural(reads, 'read unit') : '',
    writes > 0 ? plural(writes, 'write unit') : '',
  ].filter((detail) => detail !== '');
  return [
    paint('dim', time()),
    method.padEnd(6),
    withoutSecrets(url),
    paint(colourOf(statusCode), `${statusCode}`),
    `${Math.round(durationMs)} ms`,
    paint('dim', withoutSecrets(details.join(', '))),
  ]
    .join(' ')
    .trimEnd();
}

/** Says which action a role lacks, and where it would be added. */
function adviceOn({ functionName, action, tables }: FunctionCall): string {
  const operation = operationNames.find(
    (name) => name.toLowerCase() === functionName.toLowerCase(),
  );
  const place = operation
    ? `${operation} in functions/shared/operations.ts`
    : `${functionName} in lib/plant-store-stack.ts`;
  return (
    `The role of ${functionName} does not allow ${action} on ${tables.join(', ')}. ` +
    `If it should, add the action to ${place}.`
  );
}

function colourOf(statusCode: number): Format {
  if (statusCode < 400) {
    return 'green';
  }
  return statusCode < 500 ? 'yellow' : 'red';
}

type Format = 'dim' | 'green' | 'yellow' | 'red';

/** Colours a text, if stderr is a terminal. */
const paint = (format: Format, text: string) => styleText(format, text, { stream: process.stderr });

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
const indent = (text: string) => text.replace(/^/gm, '    ');
const tokens = new RegExp(`${tokenParts.prefix.replace('_', '(_|%5f)')}[\\w%]*`, 'gi');

/** Hides access tokens, and characters that would control the terminal. */
const withoutSecrets = (text: string) =>
  text.replace(tokens, `${tokenParts.prefix}…`).replace(/[^\x20-\x7e…]/g, encodeURIComponent);

function problemCode(body: string | Buffer): string {
  const { type } = parse(body.toString()) ?? {};
  return typeof type === 'string' ? type.slice(type.lastIndexOf(':') + 1) : '';
}

function parse(text: string): Entry | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const isOurs = (message: unknown): message is Record<string, unknown> =>
  isLogCode(String((message as { code?: unknown } | undefined)?.code));

/** Matches Lambda's own lines of a function that logs text. */
const platformText = /^(START|REPORT) RequestId: /;
const isPlatforms = ({ type }: Entry) => String(type).startsWith('platform.');

/** An authorizer refuses a token by failing with this message, which Lambda logs as an error. */
const isRefusal = ({ message }: Entry) =>
  (message as { errorMessage?: unknown } | undefined)?.errorMessage === 'Unauthorized';

/** Returns what a function has logged, of an error its stack, without what Lambda adds to it. */
function textOf({ message, stackTrace }: Entry): string {
  // An error is the message, or stands beside it.
  const stack = (message as Entry | undefined)?.stackTrace ?? stackTrace;
  if (Array.isArray(stack)) {
    return stripVTControlCharacters(ownFrames(stack.join('\n')));
  }
  return stripVTControlCharacters(typeof message === 'string' ? message : JSON.stringify(message));
}

/** Match frames of Node, of packages, and of what loads and calls a function. */
const foreignFrames = [
  /^ +at (.*[ (])?node:/,
  /^ +at (.*[ (])?\S.*[\\/]node_modules[\\/](?!\.cache[\\/])/,
  /^ +at (.*[ (])?\S.*[\\/](runtime|start)\.mjs:/,
];

/** Returns a stack without foreign frames, unless it has no others. */
function ownFrames(stack: string): string {
  const lines = stack.split('\n');
  const own = lines.filter((line) => !foreignFrames.some((foreign) => foreign.test(line)));
  return own.some((line) => /^ +at /.test(line)) ? own.join('\n') : stack;
}

/** Returns all that a function has logged of a cause: its stack, other fields and own cause. */
function causeOf(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null) {
    return String(cause);
  }
  const { name, message, stack, cause: inner, ...more } = cause as Record<string, unknown>;
  return [
    ownFrames(`${stack ?? `${name}: ${message}`}`),
    ...(Object.keys(more).length > 0 ? [JSON.stringify(more)] : []),
    ...(inner === undefined ? [] : [`caused by ${causeOf(inner)}`]),
  ].join('\n');
}
