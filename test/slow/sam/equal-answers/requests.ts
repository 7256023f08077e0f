import { isUtf8 } from 'node:buffer';
import { badBodies } from '../../../contract/cases/bad-bodies.ts';
import {
  badHeaders,
  badPathIds,
  badQueries,
  largeBodies,
  unknownOperations,
} from '../../../contract/cases/bad-requests.ts';
import { int64 } from '../../../contract/cases/int64.ts';
import { kept } from '../../../contract/cases/unicode.ts';

/**
 * A request without its base URL. `as` names the holder of its token. Without it, the request has
 * no token.
 */
export interface Request {
  what: string;
  method: string;
  path: string;
  as?: 'alice' | 'bob' | 'reader' | 'stranger';
  headers?: [name: string, value: string][];
  body?: string | Buffer;
}

const json: [string, string] = ['Content-Type', 'application/json'];
const alice = { as: 'alice' } as const;
const create = (body: string | Buffer): Omit<Request, 'what'> => ({
  method: 'POST',
  path: '/plants',
  headers: [json],
  body,
  ...alice,
});
const list = (query: string): Omit<Request, 'what'> => ({
  method: 'GET',
  path: `/plants${query}`,
  ...alice,
});
const remove = (id: string): Omit<Request, 'what'> => ({
  method: 'DELETE',
  path: `/plants/${id}`,
  ...alice,
});

/** Returns a third of a long list. The contract tests send all of it. */
const everyThird = <T>(list: T[]): T[] => list.filter((_, index) => index % 3 === 0);
const isText = (body: string | Buffer) => isUtf8(Buffer.from(body));

/** The requests, to be sent one after the other in this order. */
export const requests: Request[] = [
  ...int64.map(([literal]) => ({
    what: `create ${literal}`,
    ...create(`{"id":${literal},"name":"n","tag":"t"}`),
  })),
  { what: 'create again', ...create('{"id":1,"name":"n","tag":"t"}') },
  { what: 'create otherwise', ...create('{"id":1,"name":"o","tag":"t"}') },
  { what: 'create for another owner', ...create('{"id":1,"name":"o"}'), as: 'bob' },
  { what: 'list', ...list('') },
  { what: 'list for another owner', ...list(''), as: 'bob' },
  { what: 'list a page', ...list('?limit=2') },
  { what: 'list as many as there are', ...list('?limit=2147483647') },
  ...int64.flatMap(([, id]) => (id === undefined ? [] : [{ what: `delete ${id}`, ...remove(id) }])),
  ...kept.slice(0, 20).map((name, id) => ({
    what: `create ${name.slice(0, 40)}`,
    ...create(JSON.stringify({ id, name })),
  })),
  { what: 'list them', ...list('') },
  ...everyThird(badBodies.filter(([, body]) => isText(body))).map(([what, body]) => ({
    what: `bad body: ${what}`,
    ...create(body),
  })),
  ...badBodies
    .filter(([, body]) => !isText(body))
    .map(([what, body]) => ({ what: `not UTF-8: ${what}`, ...create(body) })),
  ...everyThird(badQueries).map(([query]) => ({
    what: `bad query: ${query.slice(0, 40)}`,
    ...list(`?${query}`),
  })),
  ...everyThird(badPathIds).map((id) => ({ what: `bad id: ${id.slice(0, 40)}`, ...remove(id) })),
  ...badHeaders.map(([what, headers]) => ({
    what: `${what.startsWith('two Content-Types') ? 'repeated header' : 'bad header'}: ${what}`,
    ...create('{"id":1,"name":"n"}'),
    headers,
  })),
  ...largeBodies.map(([what, body]) => ({ what: `large body: ${what}`, ...create(body) })),
  ...unknownOperations.map(([method, path]) => ({
    what: `unknown operation: ${method} ${path}`,
    method,
    path,
    ...alice,
  })),
  { what: 'unknown operation: OPTIONS', method: 'OPTIONS', path: '/plants' },
  { what: 'unknown operation: a path without a token', method: 'GET', path: '/nothing' },
  { what: 'scope: create with the scope to read', ...create('{"id":1,"name":"n"}'), as: 'reader' },
  { what: 'scope: delete with the scope to read', ...remove('1'), as: 'reader' },
  { what: 'list with the scope to read', ...list(''), as: 'reader' },
  { what: 'refused token: one that was never issued', ...list(''), as: 'stranger' },
  { what: 'malformed token: none', method: 'GET', path: '/plants' },
  {
    what: 'malformed token: another scheme',
    method: 'GET',
    path: '/plants',
    headers: [['Authorization', 'Basic YTpi']],
  },
  { what: 'HEAD: list', method: 'HEAD', path: '/plants', ...alice },
  { what: 'delete with a slash at the end', method: 'DELETE', path: '/plants/1/', ...alice },
  { what: 'delete with an encoded id', ...remove('%31') },
  { what: 'encoded slash: in an id', ...remove('1%2F2') },
];
