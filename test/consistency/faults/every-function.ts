import type { Socket } from 'node:net';
import { authorizer, operations } from '../../../functions/shared/operations.ts';
import {
  alertInHandshake,
  breakOff,
  closeHandshake,
  type Fault,
  fail,
  type HandshakeFault,
  html,
  loseResponse,
  pass,
  reset,
  resetHandshake,
  say,
  skew,
  throttle,
} from '../../support/database/proxy.ts';
import { type FunctionName, functionNames, usedActions } from './actions.ts';
import { clock, crawl, drip, hang, slow, stop, swallowResponse, write } from './slow-faults.ts';

/** The outcome of a call. */
interface Outcome {
  status: number;
  /** The name of the plant that is there in the end, or null without one. */
  left: string | null;
  /** The commands that the function sends, in their order. */
  sent: string[];
}

export interface Case {
  title: string;
  call: FunctionName;
  /** The name of the plant that is there before. None by default. */
  stored?: string | undefined;
  /** The faults of the handshakes before the function's commands, one for each. */
  handshakes?: HandshakeFault[];
  /** The faults of the function's commands, one for each. The last one stays. */
  faults?: Fault[];
  /** Acts on the connection, and on TCP below TLS, while the function is frozen before the call. */
  whileFrozen?: (connection: Socket, tcp: Socket) => unknown;
  outcome: Outcome;
  /** Members of the log line. */
  log?: object;
}

const rows = { ...operations, authorizer };
type Values<T> = T[keyof T];
/** The functions with one action, which reads. One outcome holds for all of them. */
type ReadName = Values<{
  [Name in FunctionName]: Values<(typeof rows)[Name]['tables']> extends readonly [
    'GetItem' | 'Query',
  ]
    ? Name
    : never;
}>;
type WriteName = Exclude<FunctionName, ReadName>;

/** Databases that fail, and the outcome of each call that meets one of them. */
interface Failure {
  writes: Record<WriteName, Outcome>;
  read: { status: number; requests: number };
  /** Their faults. The names continue "meets a database that". */
  databases: Record<string, Pick<Case, 'handshakes' | 'faults' | 'whileFrozen' | 'log'>>;
}

const failing = fail(500, 'InternalServerError');
export const accessDenied = fail(400, 'AccessDeniedException');
const denial = '{"__type":"com.amazonaws.dynamodb.v20120810#AccessDeniedException"}';
const secondResponse = `HTTP/1.1 400 Bad Request\r\nContent-Length: ${denial.length}\r\n\r\n${denial}`;

const failures: Failure[] = [
  // Handshakes come first. If one fails, no request was sent, so even a write is sent afterwards.
  {
    databases: {
      'fails all TLS handshakes': {
        handshakes: [resetHandshake, alertInHandshake, () => clock.advance(1000)],
        log: { cause: { message: 'No TLS connection was established within 1000 ms.' } },
      },
    },
    writes: {
      createPlant: { status: 503, left: null, sent: [] },
      deletePlant: { status: 503, left: 'Monstera', sent: [] },
    },
    read: { status: 503, requests: 0 },
  },
  {
    databases: {
      'closes a TLS handshake': { handshakes: [closeHandshake] },
      'sends no ServerHello': { handshakes: [() => clock.advance(1000)] },
      'responds slowly': { faults: [slow] },
      'responded twice to the command before': {
        whileFrozen: (connection) => write(connection, secondResponse),
      },
      'ended the connection of a frozen function': {
        whileFrozen: (connection) => new Promise<void>((ended) => connection.end(ended)),
      },
      'reset the connection of a frozen function': {
        whileFrozen: (_, tcp) => tcp.resetAndDestroy(),
      },
    },
    writes: {
      createPlant: { status: 201, left: 'Monstera', sent: ['PutItem'] },
      deletePlant: { status: 204, left: null, sent: ['DeleteItem'] },
    },
    read: { status: 200, requests: 1 },
  },
  {
    databases: {
      'throttles once': { faults: [throttle, pass] },
      'is a quarter of an hour ahead or more': { faults: [skew(15)] },
      'is a quarter of an hour behind or more': { faults: [skew(-15)] },
    },
    writes: {
      createPlant: { status: 201, left: 'Monstera', sent: ['PutItem', 'PutItem'] },
      deletePlant: { status: 204, left: null, sent: ['DeleteItem', 'DeleteItem'] },
    },
    read: { status: 200, requests: 2 },
  },
  {
    databases: { 'throttles for long': { faults: [throttle] } },
    writes: {
      createPlant: { status: 503, left: null, sent: ['PutItem', 'PutItem', 'PutItem'] },
      deletePlant: {
        status: 503,
        left: 'Monstera',
        sent: ['DeleteItem', 'DeleteItem', 'DeleteItem'],
      },
    },
    read: { status: 503, requests: 3 },
  },
  // A write in doubt is not sent again: reads tell whether it took effect.
  {
    databases: {
      'fails once': { faults: [failing, pass] },
      'returns a page of HTML': { faults: [html, pass] },
      'resets one connection before the request': { faults: [reset, pass] },
    },
    writes: {
      createPlant: { status: 503, left: null, sent: ['PutItem', 'GetItem'] },
      deletePlant: { status: 503, left: 'Monstera', sent: ['DeleteItem', 'GetItem'] },
    },
    read: { status: 200, requests: 2 },
  },
  {
    databases: {
      'fails for long': { faults: [failing] },
      'resets all connections before the request': { faults: [reset] },
      'does nothing and says nothing': { faults: [say('', 'not done')] },
    },
    writes: {
      createPlant: { status: 503, left: null, sent: ['PutItem', 'GetItem', 'GetItem', 'GetItem'] },
      deletePlant: {
        status: 503,
        left: 'Monstera',
        sent: ['DeleteItem', 'GetItem', 'GetItem', 'GetItem'],
      },
    },
    read: { status: 503, requests: 3 },
  },
  {
    databases: {
      'resets one connection after the commit': { faults: [loseResponse, pass] },
      'cuts one response': { faults: [breakOff, pass] },
      'stops within one response': { faults: [stop, pass] },
      'does its work and says nothing': { faults: [say('', 'done'), pass] },
      'does its work and says {"Item":': { faults: [say('{"Item":', 'done'), pass] },
    },
    writes: {
      createPlant: { status: 201, left: 'Monstera', sent: ['PutItem', 'GetItem'] },
      deletePlant: { status: 204, left: null, sent: ['DeleteItem', 'GetItem'] },
    },
    read: { status: 200, requests: 2 },
  },
  {
    databases: {
      'resets all connections after the commit': { faults: [loseResponse] },
    },
    writes: {
      createPlant: {
        status: 503,
        left: 'Monstera',
        sent: ['PutItem', 'GetItem', 'GetItem', 'GetItem'],
      },
      deletePlant: {
        status: 503,
        left: null,
        sent: ['DeleteItem', 'GetItem', 'GetItem', 'GetItem'],
      },
    },
    read: { status: 503, requests: 3 },
  },
  // A delete whose response never begins may still arrive, so no read could settle it.
  {
    databases: { 'hangs once': { faults: [hang, pass] } },
    writes: {
      createPlant: { status: 503, left: null, sent: ['PutItem', 'GetItem'] },
      deletePlant: { status: 503, left: 'Monstera', sent: ['DeleteItem'] },
    },
    read: { status: 200, requests: 2 },
  },
  {
    databases: { 'hangs for long': { faults: [hang] } },
    writes: {
      createPlant: { status: 503, left: null, sent: ['PutItem', 'GetItem', 'GetItem', 'GetItem'] },
      deletePlant: { status: 503, left: 'Monstera', sent: ['DeleteItem'] },
    },
    read: { status: 503, requests: 3 },
  },
  {
    databases: {
      'hangs once after the commit': { faults: [swallowResponse, pass] },
      'begins one response too slowly': { faults: [drip, pass] },
    },
    writes: {
      createPlant: { status: 201, left: 'Monstera', sent: ['PutItem', 'GetItem'] },
      deletePlant: { status: 503, left: null, sent: ['DeleteItem'] },
    },
    read: { status: 200, requests: 2 },
  },
  {
    databases: { 'responds too slowly': { faults: [crawl] } },
    writes: {
      createPlant: { status: 503, left: 'Monstera', sent: ['PutItem'] },
      deletePlant: { status: 503, left: null, sent: ['DeleteItem'] },
    },
    read: { status: 503, requests: 1 },
  },
  {
    databases: {
      'finds the credentials expired': { faults: [fail(400, 'ExpiredTokenException')] },
      'denies access': { faults: [accessDenied] },
      // Its message alone would be a 401 of the gateway.
      'says Unauthorized': { faults: [fail(400, 'Unauthorized', {}, 'Unauthorized')] },
    },
    writes: {
      createPlant: { status: 500, left: null, sent: ['PutItem'] },
      deletePlant: { status: 500, left: 'Monstera', sent: ['DeleteItem'] },
    },
    read: { status: 500, requests: 1 },
  },
];

function chooseOutcome(call: FunctionName, failure: Omit<Failure, 'databases'>): Outcome {
  if (call in failure.writes) {
    return failure.writes[call as WriteName];
  }
  const { status, requests } = failure.read;
  return {
    // An authorizer that fails is a 503 of the gateway.
    status: call === 'authorizer' && status === 500 ? 503 : status,
    left: call === 'authorizer' ? null : 'Monstera',
    sent: Array(requests).fill(usedActions[call].actions[0]),
  };
}

export const ofEveryFunction: Case[] = failures.flatMap(({ databases, ...failure }) =>
  Object.entries(databases).flatMap(([database, faults]) =>
    functionNames.map((call) => ({
      title: `${call} meets a database that ${database}`,
      call,
      stored: call === 'createPlant' || call === 'authorizer' ? undefined : 'Monstera',
      ...faults,
      outcome: chooseOutcome(call, failure),
    })),
  ),
);
