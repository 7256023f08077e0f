import { isDeepStrictEqual } from 'node:util';
import type { Item, Store } from '../model.ts';
import { startTime } from '../running-calls.ts';
import type { Call, History, SentRequest } from '../subject.ts';
import { cacheSeconds, findIssued, findNamedToken, findToken, newToken } from './calls.ts';

type Sentence = (call: Call, history: History) => string | undefined;

/** Returns how a history breaks a sentence about tokens, if it does. */
export function violation(history: History): string | undefined {
  const { calls, stores } = history;
  for (const [i, before] of stores.slice(0, -1).entries()) {
    const broken = findWrongChange(before, stores[i + 1] as Store);
    if (broken) {
      return broken;
    }
  }
  for (const call of calls) {
    const [kind = ''] = call.operation.split(' ');
    const broken = sentences[kind]?.(call, history) ?? findLostToken(call, history);
    if (broken) {
      const outcomes = calls.map(({ operation, status }) => `${operation}: ${status}`).join(', ');
      return `${broken} ${outcomes}. ${call.operation}: ${call.body}`;
    }
  }
  return undefined;
}

/** What has ended stays so: no command overwrites a record, revives one or puts its end off. */
function findWrongChange(before: Store, after: Store): string | undefined {
  if (before === after) {
    return undefined;
  }
  for (const [id, item] of after) {
    const old = before.get(id);
    if (!item.digest || !item.owner) {
      return 'A change made a record of no token.';
    }
    if (old && old.digest?.B !== item.digest.B) {
      return 'A record was overwritten.';
    }
    if (old?.revoked && !isDeepStrictEqual(old, item)) {
      return 'The record of a revoked token changed.';
    }
    if (old && readEnd(old) < readEnd(item)) {
      return 'A token got a later end.';
    }
  }
  const [foreignBefore, foreignAfter] = [before, after].map((store) =>
    [...store.values()].filter((item) => !isOwned(item)),
  );
  const isUnchanged = isDeepStrictEqual(foreignBefore, foreignAfter);
  return isUnchanged ? undefined : "Another owner's token changed.";
}

const sentences: Record<string, Sentence> = {
  authorize(call, { stores, seconds }) {
    const lookUps = findReads(call, 'GetItem').map(({ step }) => ({
      works: works(call, stores[step], seconds[step]),
      until: Number(seconds[step]) + cacheSeconds,
    }));
    const [first, second = first] = lookUps;
    const now = Number(seconds[Number(call.requests.at(-1)?.step)]);
    const isCached = first?.works && now < first.until;
    const expected = [first?.works, isCached || second?.works];
    const verdicts = expected.map((allowed) => (allowed ? 'allowed' : 'UNAUTHORIZED')).join(', ');
    return call.body === verdicts ? undefined : `The store says ${verdicts}.`;
  },

  list(call, history) {
    const seen = findMoments(call, history).map(([store, now]) => describeTokens(store, now));
    const always = seen[0]?.filter((token) => seen.every((tokens) => tokens.includes(token))) ?? [];
    const listed = call.body.split(',').filter(Boolean);
    if (call.status !== 0 || !always.every((token) => listed.includes(token))) {
      return 'A list misses a token.';
    }
    const isTrue = listed.every((token) => seen.some((tokens) => tokens.includes(token)));
    return isTrue ? undefined : 'A list has a token that was never stored so.';
  },

  issue(call, history) {
    if (call.status !== 0) {
      return findUntruth(call, history);
    }
    return hasIssued(call, history) ? undefined : 'An issue showed no token, or stored none.';
  },

  revoke(call, history) {
    if (call.status !== 0) {
      return findUntruth(call, history);
    }
    const { id } = findNamedToken(call.operation);
    const revoked: Item | undefined = Object(Object(call.requests.at(-1)?.reply).body).Attributes;
    const isAlive = findStoresAfter(call, history).some((store) => {
      const item = store.get(id);
      return item?.digest?.B === revoked?.digest?.B && !item?.revoked;
    });
    return !revoked || isAlive ? 'A revoked token works.' : undefined;
  },

  rotate(call, history) {
    const { id } = findToken();
    const stored = history.stores[0]?.get(id);
    const puts = call.requests.filter(({ command }) => command.name === 'PutItem');
    if (puts.some(({ command }) => !isDeepStrictEqual(command, puts[0]?.command))) {
      return 'A rotation added more than one token.';
    }
    if (call.status !== 0) {
      const isChanged = history.stores.at(-1)?.get(id) !== stored;
      const others = history.calls.filter((other) => other !== call);
      const mayChange = /^(?:erase|rotate|revoke old|issue taken)/;
      if (isChanged && !hasShown(call) && !others.some((one) => mayChange.test(one.operation))) {
        return 'A failed rotation changed the old token, and showed no new one.';
      }
      return findUntruth(call, history);
    }
    if (!hasIssued(call, history)) {
      return 'A rotation showed no token, or stored none.';
    }
    const atEnd = findMoments(call, history).slice(-2);
    if (!atEnd.some(([store]) => store.has(id) && !store.get(id)?.revoked)) {
      return 'A rotation does not say that its old token was revoked or erased.';
    }
    const overlap = call.operation === 'rotate 0' ? 0 : 3600;
    const end = startTime + call.start.seconds + overlap;
    const works = findStoresAfter(call, history).some((store) => {
      const item = store.get(id);
      const isOld = item && item.digest?.B === stored?.digest?.B;
      return isOld && !item.revoked && readEnd(item) > end;
    });
    return works ? 'The old token works after the overlap.' : undefined;
  },

  erase(call, history) {
    if (call.status !== 0) {
      return findUntruth(call, history);
    }
    if (countOverlooked(call, history) > 0) {
      return 'An erasure overlooked a token.';
    }
    const existed = new Set(listOwned(history.stores[Number(call.requests[0]?.step)]));
    const left = findStoresAfter(call, history).flatMap(listOwned);
    return left.some((one) => existed.has(one)) ? 'An erasure left a token.' : undefined;
  },
};

/** Returns how many tokens existed throughout the last list of an erasure. */
function countOverlooked(call: Call, { stores }: History): number {
  const lists = findReads(call, 'Scan');
  const start = lists.findLastIndex(({ command }) => !command.parameters.ExclusiveStartKey);
  const [first = [], ...others] = lists.slice(start).map(({ step }) => listOwned(stores[step]));
  return first.filter((one) => others.every((owned) => owned.includes(one))).length;
}

/** A token that works, and that nobody was shown, is named by the command that made it. */
function findLostToken(call: Call, { stores, seconds }: History): string | undefined {
  if (!/^(?:issue|rotate)/.test(call.operation)) {
    return undefined;
  }
  const { id, digest } = findIssued(call);
  const item = stores.at(-1)?.get(id);
  const works = item?.digest?.B === digest && isActive(item, seconds.at(-1));
  const isNamed = call.status === 1 && call.body.includes(id);
  return works && !hasShown(call) && !isNamed ? 'A token works that nobody knows.' : undefined;
}

type IsTrue = (item: Item | undefined, now: number, call: Call) => boolean;

/** The reasons that commands give, and when they are true. */
const reasons: [RegExp, IsTrue][] = [
  [/^There is no token/, (item) => !item],
  [/ is revoked\. /, (item) => item?.revoked !== undefined],
  [/ is expired\. /, (item, now) => item !== undefined && startTime + now >= readEnd(item)],
  [/ was revoked during the rotation/, (item) => item?.revoked !== undefined],
  [/ was erased during the rotation/, (item) => !item],
  [/^ConditionalCheckFailedException/, (item) => item !== undefined],
  [/^Cannot write the new token/, (_, __, { faults }) => faults.includes('broken-pipe')],
  [/ was issued \(/, (_, __, call) => countUnknown(call) > 0],
  // These commands send an update or a delete again after one unknown outcome.
  [/ was revoked \(| is unknown \(| may still work until/, (_, __, call) => countUnknown(call) > 1],
];

/** A command that fails gives a reason, which was true while it ran. */
function findUntruth(call: Call, history: History): string | undefined {
  const moments = findMoments(call, history);
  const [, again] = / has (\d+) access tokens? and 0 plants again\. /.exec(call.body) ?? [];
  if (again) {
    const isTrue = moments.some(([store]) => listOwned(store).length === Number(again));
    return isTrue ? undefined : 'An erasure counted wrongly.';
  }
  const [, isTrue] = reasons.find(([text]) => text.test(call.body)) ?? [];
  const { id } = findNamedToken(call.operation);
  const holds = moments.some(([store, now]) => isTrue?.(store.get(id), now, call));
  return holds ? undefined : 'The reason of an error was never true.';
}

const harmless = ['lost-throttled', 'lost-refused', 'broken-pipe'];
const countUnknown = ({ faults }: Call): number =>
  faults.filter((fault) => !harmless.includes(fault)).length;

/** Returns whether the token of a call was shown, and its record was stored while the call ran. */
function hasIssued(call: Call, history: History): boolean {
  const { id, digest } = findIssued(call);
  const isStored = ([store]: [Store, number]) => store.get(id)?.digest?.B === digest;
  return hasShown(call) && findMoments(call, history).some(isStored);
}

const hasShown = ({ requests }: Call): boolean =>
  requests.some(({ command, reply }) => command.name === 'Show' && typeof reply !== 'string');

function works({ operation }: Call, store: Store | undefined, seconds = 0): boolean {
  const { id, digest } = findNamedToken(operation);
  const item = store?.get(id);
  return item?.digest?.B === digest && isActive(item, seconds);
}

const isActive = (item: Item | undefined, seconds = 0): boolean =>
  item !== undefined && !item.revoked && startTime + seconds < readEnd(item);

const readEnd = ({ expires }: Item): number => Number(expires?.N ?? Number.POSITIVE_INFINITY);

/** Returns the ids of tokens with their status, as a list has them. */
const describeTokens = (store: Store, now: number): string[] =>
  [...store].map(([id, item]) => {
    const unrevoked = isActive(item, now) ? 'active' : 'expired';
    return `${id} ${item.revoked ? 'revoked' : unrevoked}`;
  });

const isOwned = ({ owner }: Item): boolean => owner?.S === newToken.owner;

/** Returns the digests of the owner's tokens. */
const listOwned = (store: Store | undefined): (string | undefined)[] =>
  [...(store?.values() ?? [])].filter(isOwned).map(({ digest }) => digest?.B);

/** Returns the reads with this command that got a response. */
const findReads = ({ requests }: Call, name: string): SentRequest[] =>
  requests.filter(({ command, reply }) => {
    const { status, body } = Object(reply);
    return command.name === name && status === 200 && typeof body === 'object';
  });

/** Returns the stores that a call could see, with their times. */
function findMoments({ requests }: Call, { stores, seconds }: History): [Store, number][] {
  const first = Number(requests[0]?.step);
  const end = Number(requests.at(-1)?.step) + 2;
  return stores.slice(first, end).map((store, i) => [store, Number(seconds[first + i])]);
}

const findStoresAfter = ({ requests }: Call, { stores }: History): Store[] =>
  stores.slice(Number(requests.at(-1)?.step) + 1);
