import { beforeAll, expect, test } from '@jest/globals';
import { makeToken } from '../../../../functions/access-tokens/token.ts';
import { finallyDo } from '../../../support/cleanup.ts';
import { type Service, startService } from '../../../support/service/service.ts';
import { startSamLocal } from '../sam-local.ts';
import { type Answer, answerTo } from './answers.ts';
import listed from './differences.json' with { type: 'json' };
import { requests } from './requests.ts';

/** The requests in their order, each with the answers of the emulator and of SAM CLI. */
const answers: { what: string; emulator: Answer; sam: Answer }[] = [];

beforeAll(async () => {
  const service = await startService();
  finallyDo(service.stop);
  const sam = await startSamLocal();
  const [ofEmulator, ofSam] = await Promise.all([tokens(service.issue), tokens(sam.issue)]);
  for (const request of requests) {
    const [emulator, other] = await Promise.all([
      answerTo(service.baseUrl, ofEmulator, request),
      answerTo(sam.baseUrl, ofSam, request),
    ]);
    answers.push({ what: request.what, emulator, sam: other });
  }
});

const tokens = async (issueTo: Service['issue']) => ({
  alice: await issueTo('alice'),
  bob: await issueTo('bob'),
  reader: await issueTo('reader', ['plants:read']),
  stranger: makeToken().token,
});

/** Returns the status and, for an error, our code or SAM CLI's message. */
function verdict({ status, body = '' }: Answer): string {
  const [, said] =
    /"type":"urn:problem-type:plant-store:([\w-]+)"|^\{"message":"(.*)"\}\n$/
      .exec(body)
      ?.filter((part) => part !== undefined) ?? [];
  return said ? `${status} ${said}` : `${status}`;
}

const inOtherWords = listed.filter(({ emulator }) => emulator !== undefined);
const headers = new Set(listed.flatMap((difference) => difference.headers ?? []));

test('sam local answers exactly the requests of the list otherwise, and as the list says', () => {
  const found = answers.filter(({ emulator, sam: other }) => verdict(emulator) !== verdict(other));
  const expected = answers.flatMap(({ what }) =>
    inOtherWords
      .filter(({ requests: group }) => what.startsWith(`${group}: `))
      .map(({ emulator, sam: other }) => [what, emulator, other]),
  );
  expect(
    found.map(({ what, emulator, sam: other }) => [what, verdict(emulator), verdict(other)]),
  ).toEqual(expected);
  for (const { requests: group } of inOtherWords)
    expect(expected.map(([what]) => what)).toContainEqual(expect.stringMatching(`^${group}: `));
});

test('all other answers are the same byte for byte, but for the headers of the list', () => {
  const differing = new Set<string>();
  for (const { what, emulator, sam: other } of answers) {
    if (inOtherWords.some(({ requests: group }) => what.startsWith(`${group}: `))) continue;
    const [ours, theirs] = [withoutRequestId(emulator), withoutRequestId(other)];
    const names = Object.keys({ ...ours, ...theirs }).filter((name) => ours[name] !== theirs[name]);
    for (const name of names) differing.add(name);
    expect([
      what,
      names.filter((name) => !headers.has(name)).map((name) => [name, ours[name], theirs[name]]),
    ]).toEqual([what, []]);
  }
  expect(differing).toEqual(headers);
});

test('Location and Link differ in the stage alone', () => {
  for (const { emulator, sam: other } of answers) {
    expect(emulator.location?.replace('/v1/', '/')).toEqual(other.location);
    if (verdict(emulator) === verdict(other))
      expect(emulator.link?.replace('</v1/', '</')).toEqual(other.link);
  }
});

test('sam local gives every request the same id', () => {
  const ids = new Set(answers.flatMap(({ sam: other }) => other['x-request-id'] ?? []));
  expect(ids.size).toBe(1);
});

/** Replaces the request id by a fixed text, because only the places of the id are compared. */
function withoutRequestId(answer: Answer): Answer {
  const { 'x-request-id': id } = answer;
  if (!id) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, value.replaceAll(id, 'REQUEST ID')]),
  );
}
