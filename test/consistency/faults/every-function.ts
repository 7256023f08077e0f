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
import { type Call, calls } from './actions.ts';
import { clock, crawl, drip, hang, slow, swallowResponse } from './slow-faults.ts';

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
  call: Call;
  /** The name of the plant that is there before. None by default. */
  stored?: string | undefined;
  /** The faults of the handshakes before the function's commands, one for each. */
  handshakes?: HandshakeFault[];
  /** The faults of the function's commands, one for each. The last one stays. */
  faults?: Fault[];
  /** A response that no request asked for. It arrives while the function is frozen before the call. */
  additional?: string;
  outcome: Outcome;
  /** Members of the log line. */
  log?: object;
}

/** Databases that fail, and the outcome of each call that meets one of them. */
interface Failure extends Record<Call, Outcome> {
  /** Their faults. The names continue "meets a database that". */
  databases: Record<string, Pick<Case, 'handshakes' | 'faults' | 'additional' | 'log'>>;
}

export const failing = fail(500, 'InternalServerError');
const exceeded = fail(400, 'ProvisionedThroughputExceededException');
export const accessDenied = fail(400, 'AccessDeniedException');
const denial = '{"__type":"com.amazonaws.dynamodb.v20120810#AccessDeniedException"}';

const failures: Failure[] = [
  // Handshakes come first. If one fails, no request was sent, so even a write is sent afterwards.
  {
    databases: {
      'fails all TLS handshakes': {
        handshakes: [resetHandshake, alertInHandshake, closeHandshake],
        log: { cause: { code: 'ECONNRESET' } },
      },
    },
    create: { status: 503, left: null, sent: [] },
    list: { status: 503, left: 'Aloe', sent: [] },
    delete: { status: 503, left: 'Aloe', sent: [] },
    authorizer: { status: 503, left: null, sent: [] },
  },
  {
    databases: {
      'resets a TLS handshake': { handshakes: [resetHandshake] },
      'closes a TLS handshake': { handshakes: [closeHandshake] },
      'sends no ServerHello': { handshakes: [() => clock.advance(1000)] },
      'refuses a TLS handshake with an alert': { handshakes: [alertInHandshake] },
      'responds slowly': { faults: [slow] },
      'answered the command before twice': {
        additional: `HTTP/1.1 400 Bad Request\r\nContent-Length: ${denial.length}\r\n\r\n${denial}`,
      },
    },
    create: { status: 201, left: 'Aloe', sent: ['PutItem'] },
    list: { status: 200, left: 'Aloe', sent: ['Query'] },
    delete: { status: 204, left: null, sent: ['DeleteItem'] },
    authorizer: { status: 200, left: null, sent: ['GetItem'] },
  },
  {
    databases: {
      'throttles once': { faults: [throttle, pass] },
      'exceeds its throughput once': { faults: [exceeded, pass] },
      'is a quarter of an hour ahead or more': { faults: [skew(15)] },
      'is a quarter of an hour behind or more': { faults: [skew(-15)] },
    },
    create: { status: 201, left: 'Aloe', sent: ['PutItem', 'PutItem'] },
    list: { status: 200, left: 'Aloe', sent: ['Query', 'Query'] },
    delete: { status: 204, left: null, sent: ['DeleteItem', 'DeleteItem'] },
    authorizer: { status: 200, left: null, sent: ['GetItem', 'GetItem'] },
  },
  {
    databases: { 'throttles for long': { faults: [throttle] } },
    create: { status: 503, left: null, sent: ['PutItem', 'PutItem', 'PutItem'] },
    list: { status: 503, left: 'Aloe', sent: ['Query', 'Query', 'Query'] },
    delete: { status: 503, left: 'Aloe', sent: ['DeleteItem', 'DeleteItem', 'DeleteItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem', 'GetItem', 'GetItem'] },
  },
  // A write in doubt is not sent again: reads tell whether it took effect.
  {
    databases: {
      'fails once': { faults: [failing, pass] },
      'returns a page of HTML': { faults: [html, pass] },
      'resets one connection before the request': { faults: [reset, pass] },
    },
    create: { status: 503, left: null, sent: ['PutItem', 'GetItem'] },
    list: { status: 200, left: 'Aloe', sent: ['Query', 'Query'] },
    delete: { status: 503, left: 'Aloe', sent: ['DeleteItem', 'GetItem'] },
    authorizer: { status: 200, left: null, sent: ['GetItem', 'GetItem'] },
  },
  {
    databases: {
      'fails for long': { faults: [failing] },
      'resets all connections before the request': { faults: [reset] },
      'does nothing and says nothing': { faults: [say('', 'not done')] },
      'does nothing and says []': { faults: [say('[]', 'not done')] },
      'does nothing and says {"Item":': { faults: [say('{"Item":', 'not done')] },
    },
    create: { status: 503, left: null, sent: ['PutItem', 'GetItem', 'GetItem', 'GetItem'] },
    list: { status: 503, left: 'Aloe', sent: ['Query', 'Query', 'Query'] },
    delete: { status: 503, left: 'Aloe', sent: ['DeleteItem', 'GetItem', 'GetItem', 'GetItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem', 'GetItem', 'GetItem'] },
  },
  {
    databases: {
      'resets one connection after the commit': { faults: [loseResponse, pass] },
      'cuts one response': { faults: [breakOff, pass] },
      'does its work and says nothing': { faults: [say('', 'done'), pass] },
      'does its work and says []': { faults: [say('[]', 'done'), pass] },
      'does its work and says {"Item":': { faults: [say('{"Item":', 'done'), pass] },
    },
    create: { status: 201, left: 'Aloe', sent: ['PutItem', 'GetItem'] },
    list: { status: 200, left: 'Aloe', sent: ['Query', 'Query'] },
    delete: { status: 204, left: null, sent: ['DeleteItem', 'GetItem'] },
    authorizer: { status: 200, left: null, sent: ['GetItem', 'GetItem'] },
  },
  {
    databases: {
      'resets all connections after the commit': { faults: [loseResponse] },
      'cuts all responses': { faults: [breakOff] },
    },
    create: { status: 503, left: 'Aloe', sent: ['PutItem', 'GetItem', 'GetItem', 'GetItem'] },
    list: { status: 503, left: 'Aloe', sent: ['Query', 'Query', 'Query'] },
    delete: { status: 503, left: null, sent: ['DeleteItem', 'GetItem', 'GetItem', 'GetItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem', 'GetItem', 'GetItem'] },
  },
  // A delete whose response never begins may still arrive, so no read could settle it.
  {
    databases: { 'hangs once': { faults: [hang, pass] } },
    create: { status: 503, left: null, sent: ['PutItem', 'GetItem'] },
    list: { status: 200, left: 'Aloe', sent: ['Query', 'Query'] },
    delete: { status: 503, left: 'Aloe', sent: ['DeleteItem'] },
    authorizer: { status: 200, left: null, sent: ['GetItem', 'GetItem'] },
  },
  {
    databases: { 'hangs for long': { faults: [hang] } },
    create: { status: 503, left: null, sent: ['PutItem', 'GetItem', 'GetItem', 'GetItem'] },
    list: { status: 503, left: 'Aloe', sent: ['Query', 'Query', 'Query'] },
    delete: { status: 503, left: 'Aloe', sent: ['DeleteItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem', 'GetItem', 'GetItem'] },
  },
  {
    databases: {
      'hangs once after the commit': { faults: [swallowResponse, pass] },
      'begins one response too slowly': { faults: [drip, pass] },
    },
    create: { status: 201, left: 'Aloe', sent: ['PutItem', 'GetItem'] },
    list: { status: 200, left: 'Aloe', sent: ['Query', 'Query'] },
    delete: { status: 503, left: null, sent: ['DeleteItem'] },
    authorizer: { status: 200, left: null, sent: ['GetItem', 'GetItem'] },
  },
  {
    databases: { 'responds too slowly': { faults: [crawl] } },
    create: { status: 503, left: 'Aloe', sent: ['PutItem'] },
    list: { status: 503, left: 'Aloe', sent: ['Query'] },
    delete: { status: 503, left: null, sent: ['DeleteItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem'] },
  },
  {
    databases: {
      'finds the credentials expired': { faults: [fail(400, 'ExpiredTokenException')] },
      'denies access': { faults: [accessDenied] },
      // Its message alone would be a 401 of the gateway.
      'says Unauthorized': { faults: [fail(400, 'Unauthorized', {}, 'Unauthorized')] },
    },
    create: { status: 500, left: null, sent: ['PutItem'] },
    list: { status: 500, left: 'Aloe', sent: ['Query'] },
    delete: { status: 500, left: 'Aloe', sent: ['DeleteItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem'] },
  },
];

export const ofEveryFunction: Case[] = failures.flatMap(({ databases, ...outcomes }) =>
  Object.entries(databases).flatMap(([database, faults]) =>
    calls.map((call) => ({
      title: `${call === 'authorizer' ? 'the' : 'a'} ${call} meets a database that ${database}`,
      call,
      stored: call === 'list' || call === 'delete' ? 'Aloe' : undefined,
      ...faults,
      outcome: outcomes[call],
    })),
  ),
);
