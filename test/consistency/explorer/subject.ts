import type { TableName } from '../../../functions/shared/table-schema.ts';
import type { DatabaseCommand, Item, Reply, Store } from './model.ts';

/** A request of a call, and the reply that it got. */
export interface SentRequest {
  command: DatabaseCommand;
  /** When it met its fate. */
  step: number;
  reply: Reply;
}

/** A call's number, what it does, and the time at which it begins. */
export interface Start {
  number: number;
  operation: string;
  /** Seconds since the beginning of the schedule. */
  seconds: number;
}

/** A call as its caller saw it, and the fate of its requests. */
export interface Call {
  start: Start;
  operation: string;
  /** The status of a response, or the exit code of a command. */
  status: number;
  /** The body of a response, or what a command says. */
  body: string;
  requests: SentRequest[];
  /** The steps at which its requests arrived. The call took effect at one of them, or in between. */
  arrivals: number[];
  /** The faults that its requests met. */
  faults: string[];
  /** Whether a write took effect and its response was lost. */
  tookEffect: boolean;
  /** Whether a write took effect after the call had ended. */
  tookEffectLater: boolean;
}

export interface History {
  calls: Call[];
  /** The table before each step, and at the end. */
  stores: Store[];
  /** The seconds that the clock has moved, before each step and at the end. */
  seconds: number[];
}

/** Sits between the calls and the network, and can change requests and replies. */
export type Interceptor = (
  command: DatabaseCommand,
  send: (command: DatabaseCommand) => Promise<Reply>,
) => Promise<Reply>;

/** A state that schedules must reach. */
export type IsReached = (call: Call, history: History) => boolean;

export interface PlantedFault {
  fault: Interceptor;
  /** Calls that show the fault. */
  calls: string[];
  faults: number;
  present?: boolean;
}

/** What a call runs. */
export type Run = (operation: string) => Promise<{ status: number; body: string }>;

/** The calls that are explored together, and what is promised about them. */
export interface Subject {
  table: TableName;
  operations: readonly string[];
  /** Whether a call makes an item, with values at random. */
  makes(operation: string): boolean;
  /** Seconds by which the clock may move, once, while no call is in progress. */
  jumps: readonly number[];
  /** Maximum schedules of a scenario. A short run tries a fortieth of those with two calls. */
  limits: { threeCalls: number; twoCalls: number };
  /** Whether reads are lost in scenarios without every error. The client sends them again. */
  losesReads: boolean;
  /** The items of the table in scenarios with a subject, and without. */
  stored(present: boolean): Item[];
  /** Whether other calls have the same schedules. */
  isRedundant(calls: string[], present: boolean): boolean;
  load(): Promise<Run>;
  /** Returns how a history breaks the contract, if it does. */
  violation(history: History): string | undefined;
  states: Record<string, Record<string, IsReached>>;
  plantedFaults: Record<string, PlantedFault>;
}
