import { isUtf8 } from 'node:buffer';
import { beforeAll, expect, jest, test } from '@jest/globals';
import { makeToken } from '../../../functions/access-tokens/token.ts';
import { badBodies } from '../../contract/cases/bad-bodies.ts';
import {
  badHeaders,
  badPathIds,
  badQueries,
  largeBodies,
  unknownOperations,
} from '../../contract/cases/bad-requests.ts';
import { int64 } from '../../contract/cases/int64.ts';
import { kept } from '../../contract/cases/unicode.ts';
import { finallyDo } from '../../support/cleanup.ts';
import { type Request as HttpRequest, send } from '../../support/http/http-client.ts';
import { label, sent, whole } from '../../support/plant.ts';
import { type Service, startService } from '../../support/service/service.ts';
import listed from './differences.json' with { type: 'json' };
import { npmRun, type SamLocal, startSamLocal } from './sam-local.ts';

jest.setTimeout(1_800_000);

/** `as` names the holder of its token. Without it, the request has no token. */
interface Request extends HttpRequest {
  what: string;
  as?: 'alice' | 'bob' | 'reader' | 'stranger';
}
const request =
  (method: string, pathOf: (part: string) => string) =>
  (what: string, part = '', more: Partial<Request> = {}): Request => ({
    what,
    method,
    path: pathOf(part),
    as: 'alice',
    ...more,
  });
const list = request('GET', (query) => `/plants${query}`);
const remove = request('DELETE', (id) => `/plants/${id}`);
const headers = ['Content-Type', 'application/json'];
const create = (what: string, body: string | Buffer, more: Partial<Request> = {}) =>
  request('POST', () => '/plants')(what, '', { headers, body, ...more });

/** Returns a third of a long list. The contract tests send all of it. */
const everyThird = <T>(all: T[]): T[] => all.filter((_, index) => index % 3 === 0);
const texts = badBodies.filter(([, body]) => isUtf8(Buffer.from(body)));
const bytes = badBodies.filter(([, body]) => !isUtf8(Buffer.from(body)));

/** Requests of which each answer depends on those before it. */
const ordered: Request[] = [
  ...int64.map(([id]) => create(`create ${id}`, sent(id, whole))),
  create('create again', sent(1, whole)),
  create('create otherwise', sent(1)),
  create('create for another owner', sent(1), { as: 'bob' }),
  list('list'),
  list('list for another owner', '', { as: 'bob' }),
  list('list a page', '?limit=2'),
  list('list as many as there are', '?limit=2147483647'),
  ...int64.flatMap(([, id]) => (id === undefined ? [] : remove(`delete ${id}`, id))),
  ...kept.slice(0, 20).map((name, id) => create(`create ${name}`, sent(id, { [label]: name }))),
  list('list them'),
  ...badHeaders.map(([what, pairs]) => {
    const group = what.startsWith('two Content-Types') ? 'repeated header' : 'bad header';
    return create(`${group}: ${what}`, sent(1, whole), { headers: pairs.flat() });
  }),
  { what: 'unknown operation: OPTIONS', method: 'OPTIONS', path: '/plants' },
  { what: 'unknown operation: a path without a token', path: '/nothing' },
  create('scope: create with the scope to read', sent(1, whole), { as: 'reader' }),
  remove('scope: delete with the scope to read', '1', { as: 'reader' }),
  list('list with the scope to read', '', { as: 'reader' }),
  list('refused token: one that was never issued', '', { as: 'stranger' }),
  { what: 'malformed token: none', path: '/plants' },
  {
    what: 'malformed token: another scheme',
    path: '/plants',
    headers: ['Authorization', 'Basic YTpi'],
  },
  list('HEAD: list', '', { method: 'HEAD' }),
  remove('delete with a slash at the end', '1/'),
  remove('delete with an encoded id', '%31'),
  remove('encoded slash: in an id', '1%2F2'),
];

/** Requests that are all refused, so that several can be sent at once. */
const refused: Request[] = [
  ...everyThird(texts).map(([what, body]) => create(`bad body: ${what}`, body)),
  ...bytes.map(([what, body]) => create(`not UTF-8: ${what}`, body)),
  ...everyThird(badQueries).map(([query]) => list(`bad query: ${query}`, `?${query}`)),
  ...everyThird(badPathIds).map((id) => remove(`bad id: ${id}`, id)),
  ...largeBodies.map(([what, body]) => create(`large body: ${what}`, body)),
  ...unknownOperations.map(([method, path]) =>
    list(`unknown operation: ${method} ${path}`, '', { method, path }),
  ),
];

/** An answer's parts by name: `status`, `body`, and each header by its name in lower case. */
type Answer = Record<string, string>;
const inOtherWords = listed.filter(({ emulator }) => emulator !== undefined);
const answers: { what: string; group?: string; emulator: Answer; sam: Answer }[] = [];
let sam: SamLocal;

beforeAll(async () => {
  const service = await startService();
  finallyDo(service.stop);
  sam = await startSamLocal();
  const [askEmulator, askSam] = await Promise.all([asking(service), asking(sam)]);
  async function compare({ what, ...sent }: Request): Promise<void> {
    const [emulator, other] = await Promise.all([askEmulator(sent), askSam(sent)]);
    const group = inOtherWords.find(({ requests: of }) => what.startsWith(`${of}: `))?.requests;
    answers.push({ what, ...(group && { group }), emulator, sam: other });
  }
  for (const request of ordered) {
    await compare(request);
  }
  // SAM CLI takes a third of a second for a request, and most of it waits.
  const queue = refused.values();
  async function compareInTurn(): Promise<void> {
    for (const request of queue) {
      await compare(request);
    }
  }
  await Promise.all(Array.from({ length: 8 }, compareInTurn));
});

/** Returns a function that sends a request and returns the answer, but for what time changes. */
async function asking({ baseUrl, issue }: Pick<Service, 'baseUrl' | 'issue'>) {
  const tokens = {
    alice: await issue('alice'),
    bob: await issue('bob'),
    reader: await issue('reader', ['plants:read']),
    stranger: makeToken().token,
  };
  return async ({ as, headers: own = [], ...sent }: Omit<Request, 'what'>): Promise<Answer> => {
    const authorization = as ? ['Authorization', `Bearer ${tokens[as]}`] : [];
    const answer = await send(baseUrl, { ...sent, headers: [...own, ...authorization] });
    const { status, body, headers: answered } = answer;
    const { date, connection, 'keep-alive': _, 'transfer-encoding': __, ...more } = answered;
    return { status: `${status}`, ...(more as Answer), body };
  };
}

/** Returns the status and, for an error, our code or SAM CLI's message. */
function verdict({ status, body = '' }: Answer): string {
  const form = /"type":"urn:problem-type:plant-store:([\w-]+)"|^\{"message":"(.*)"\}\n$/;
  const [, code, message] = form.exec(body) ?? [];
  return [status, code ?? message].join(' ').trim();
}

test('sam local answers the requests of the list as the list says', () => {
  const found = answers
    .filter(({ group }) => group)
    .map(({ group, ...of }) => [group, verdict(of.emulator), verdict(of.sam)].join(': '));
  const said = inOtherWords.map((one) => [one.requests, one.emulator, one.sam].join(': '));
  expect(new Set(found)).toEqual(new Set(said));
});

test('all other answers are the same byte for byte, but for the headers of the list', () => {
  const differing = new Set<string>();
  const headersOfList = new Set(listed.flatMap((difference) => difference.headers ?? []));
  for (const { what, emulator, sam: other } of answers.filter(({ group }) => !group)) {
    const [ours, theirs] = [withoutRequestId(emulator), withoutRequestId(other)];
    const names = Object.keys({ ...ours, ...theirs }).filter((name) => ours[name] !== theirs[name]);
    for (const name of names) {
      differing.add(name);
    }
    const unlisted = names.filter((name) => !headersOfList.has(name));
    expect([what, unlisted.map((name) => [name, ours[name], theirs[name]])]).toEqual([what, []]);
    // These differ in the stage alone.
    expect([other.location, other.link]).toEqual([
      emulator.location?.replace('/v1/', '/'),
      emulator.link?.replace('</v1/', '</'),
    ]);
  }
  expect(differing).toEqual(headersOfList);
});

test('sam local gives every request the same id', () => {
  const ids = new Set(answers.flatMap(({ sam: other }) => other['x-request-id'] ?? []));
  expect(ids.size).toBe(1);
});

/** Replaces the request id by a fixed text, because only the places of the id are compared. */
function withoutRequestId(answer: Answer): Answer {
  const { 'x-request-id': id } = answer;
  if (!id) {
    return answer;
  }
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, value.replaceAll(id, 'REQUEST ID')]),
  );
}

test('sam local passes the contract tests', async () => {
  const where = ['--base-url', sam.baseUrl, '--dynamodb-endpoint', sam.dynamodbEndpoint];
  const suite = npmRun('contract', ['--sam-local', ...where]);
  const { code } = await suite.ended();
  // The log of CI shows what was checked here, what was left out, and why.
  const isTold = (line: string) => code !== 0 || /^(Left out|Tests|Time): /.test(line);
  const told = suite.lines.filter(isTold).map((line) => `sam local: ${line}\n`);
  process.stdout.write(told.join(''));
  expect(code).toBe(0);
});
