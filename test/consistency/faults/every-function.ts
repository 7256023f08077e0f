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
  /** The name of the plant that is there before. */
  stored?: string | undefined;
  /** The faults of the handshakes before the function's commands, one for each. */
  handshakes?: HandshakeFault[];
  /** The faults of the function's commands, one for each. The last one stays. */
  faults?: Fault[];
  outcome: Outcome;
  /** Members of the log line. */
  log?: object;
}

/** Databases that fail, and the outcome of each call that meets one of them. */
interface Failure<F = Fault> extends Record<Call, Outcome> {
  /** Their faults. The names continue "meets a database that". */
  databases: Record<string, F[]>;
}

/** The outcome of each call if the response to its first request arrives. */
const ordinary: Record<Call, Outcome> = {
  create: { status: 201, left: 'Aloe', sent: ['PutItem'] },
  list: { status: 200, left: 'Aloe', sent: ['Query'] },
  delete: { status: 204, left: null, sent: ['DeleteItem'] },
  authorizer: { status: 200, left: null, sent: ['GetItem'] },
};

export const failing = fail(500, 'InternalServerError');
export const exceeded = fail(400, 'ProvisionedThroughputExceededException');
export const accessDenied = fail(400, 'AccessDeniedException');

const onceRetried: Record<Call, Outcome> = {
  create: { status: 201, left: 'Aloe', sent: ['PutItem', 'PutItem'] },
  list: { status: 200, left: 'Aloe', sent: ['Query', 'Query'] },
  delete: { status: 204, left: null, sent: ['DeleteItem', 'DeleteItem'] },
  authorizer: { status: 200, left: null, sent: ['GetItem', 'GetItem'] },
};

const failures: Failure[] = [
  {
    databases: {
      'throttles once': [throttle, pass],
      'exceeds its throughput once': [exceeded, pass],
    },
    ...onceRetried,
  },
  {
    databases: { 'throttles for long': [throttle] },
    create: { status: 503, left: null, sent: ['PutItem', 'PutItem', 'PutItem'] },
    list: { status: 503, left: 'Aloe', sent: ['Query', 'Query', 'Query'] },
    delete: { status: 503, left: 'Aloe', sent: ['DeleteItem', 'DeleteItem', 'DeleteItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem', 'GetItem', 'GetItem'] },
  },
  // A write in doubt is not sent again: reads tell whether it took effect.
  {
    databases: {
      'fails once': [failing, pass],
      'returns a page of HTML': [html, pass],
      'resets one connection before the request': [reset, pass],
    },
    create: { status: 503, left: null, sent: ['PutItem', 'GetItem'] },
    list: { status: 200, left: 'Aloe', sent: ['Query', 'Query'] },
    delete: { status: 503, left: 'Aloe', sent: ['DeleteItem', 'GetItem'] },
    authorizer: { status: 200, left: null, sent: ['GetItem', 'GetItem'] },
  },
  {
    databases: {
      'fails for long': [failing],
      'resets all connections before the request': [reset],
      'does nothing and says nothing': [say('', 'not done')],
      'does nothing and says []': [say('[]', 'not done')],
      'does nothing and says {"Item":': [say('{"Item":', 'not done')],
    },
    create: { status: 503, left: null, sent: ['PutItem', 'GetItem', 'GetItem', 'GetItem'] },
    list: { status: 503, left: 'Aloe', sent: ['Query', 'Query', 'Query'] },
    delete: { status: 503, left: 'Aloe', sent: ['DeleteItem', 'GetItem', 'GetItem', 'GetItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem', 'GetItem', 'GetItem'] },
  },
  {
    databases: {
      'resets one connection after the commit': [loseResponse, pass],
      'cuts one response': [breakOff, pass],
      'does its work and says nothing': [say('', 'done'), pass],
      'does its work and says []': [say('[]', 'done'), pass],
      'does its work and says {"Item":': [say('{"Item":', 'done'), pass],
    },
    create: { status: 201, left: 'Aloe', sent: ['PutItem', 'GetItem'] },
    list: { status: 200, left: 'Aloe', sent: ['Query', 'Query'] },
    delete: { status: 204, left: null, sent: ['DeleteItem', 'GetItem'] },
    authorizer: { status: 200, left: null, sent: ['GetItem', 'GetItem'] },
  },
  {
    databases: {
      'resets all connections after the commit': [loseResponse],
      'cuts all responses': [breakOff],
    },
    create: { status: 503, left: 'Aloe', sent: ['PutItem', 'GetItem', 'GetItem', 'GetItem'] },
    list: { status: 503, left: 'Aloe', sent: ['Query', 'Query', 'Query'] },
    delete: { status: 503, left: null, sent: ['DeleteItem', 'GetItem', 'GetItem', 'GetItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem', 'GetItem', 'GetItem'] },
  },
  // A delete whose response never begins may still arrive, so no read could settle it.
  {
    databases: { 'hangs once': [hang, pass] },
    create: { status: 503, left: null, sent: ['PutItem', 'GetItem'] },
    list: { status: 200, left: 'Aloe', sent: ['Query', 'Query'] },
    delete: { status: 503, left: 'Aloe', sent: ['DeleteItem'] },
    authorizer: { status: 200, left: null, sent: ['GetItem', 'GetItem'] },
  },
  {
    databases: { 'hangs for long': [hang] },
    create: { status: 503, left: null, sent: ['PutItem', 'GetItem', 'GetItem', 'GetItem'] },
    list: { status: 503, left: 'Aloe', sent: ['Query', 'Query', 'Query'] },
    delete: { status: 503, left: 'Aloe', sent: ['DeleteItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem', 'GetItem', 'GetItem'] },
  },
  {
    databases: {
      'hangs once after the commit': [swallowResponse, pass],
      'begins one response too slowly': [drip, pass],
    },
    create: { status: 201, left: 'Aloe', sent: ['PutItem', 'GetItem'] },
    list: { status: 200, left: 'Aloe', sent: ['Query', 'Query'] },
    delete: { status: 503, left: null, sent: ['DeleteItem'] },
    authorizer: { status: 200, left: null, sent: ['GetItem', 'GetItem'] },
  },
  {
    databases: { 'responds slowly': [slow] },
    ...ordinary,
  },
  {
    databases: { 'responds too slowly': [crawl] },
    create: { status: 503, left: 'Aloe', sent: ['PutItem'] },
    list: { status: 503, left: 'Aloe', sent: ['Query'] },
    delete: { status: 503, left: null, sent: ['DeleteItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem'] },
  },
  {
    databases: {
      'finds the credentials expired': [fail(400, 'ExpiredTokenException')],
      'denies access': [accessDenied],
      // Its message alone would be a 401 of the gateway.
      'says Unauthorized': [fail(400, 'Unauthorized', {}, 'Unauthorized')],
    },
    create: { status: 500, left: null, sent: ['PutItem'] },
    list: { status: 500, left: 'Aloe', sent: ['Query'] },
    delete: { status: 500, left: 'Aloe', sent: ['DeleteItem'] },
    authorizer: { status: 503, left: null, sent: ['GetItem'] },
  },
  // For the end, because a client keeps the difference between the clocks.
  {
    databases: {
      'is a quarter of an hour ahead or more': [skew(15)],
      'is a quarter of an hour behind or more': [skew(-15)],
    },
    ...onceRetried,
  },
];

/** Handshakes that fail. No request was sent, so a write is sent afterwards. */
const failedHandshakes: Failure<HandshakeFault>[] = [
  {
    databases: {
      'resets a TLS handshake': [resetHandshake],
      'closes a TLS handshake': [closeHandshake],
      'sends no ServerHello': [() => clock.advance(1000)],
      'refuses a TLS handshake with an alert': [alertInHandshake],
    },
    ...ordinary,
  },
  {
    databases: {
      'fails all TLS handshakes': [resetHandshake, alertInHandshake, closeHandshake],
    },
    create: { status: 503, left: null, sent: [] },
    list: { status: 503, left: 'Aloe', sent: [] },
    delete: { status: 503, left: 'Aloe', sent: [] },
    authorizer: { status: 503, left: null, sent: [] },
  },
];
function makeCases<F>(
  { databases, ...outcomes }: Failure<F>,
  toFaults: (faults: F[]) => Pick<Case, 'handshakes' | 'faults'>,
): Case[] {
  return Object.entries(databases).flatMap(([database, faults]) =>
    calls.map((call) => ({
      title: `${call === 'authorizer' ? 'the' : 'a'} ${call} meets a database that ${database}`,
      call,
      stored: call === 'list' || call === 'delete' ? 'Aloe' : undefined,
      ...toFaults(faults),
      outcome: outcomes[call],
    })),
  );
}

export const ofHandshakes = failedHandshakes.flatMap((failure) =>
  makeCases(failure, (handshakes) => ({ handshakes })),
);
export const ofEveryFunction = failures.flatMap((failure) =>
  makeCases(failure, (faults) => ({ faults })),
);
