import { type Operation, operations } from '../../functions/shared/operations.ts';
import { parse } from '../support/http/http-client.ts';
import {
  type Answer,
  defaultOf,
  type ProblemDetails,
  partsOf,
  placeOf,
  responsesOf,
} from '../support/openapi/description.ts';

/** What the calls so far have shown of an operation, like `createPlant answers 201`. */
export const shown = new Set<string>();

/**
 * Notes which status and which parts of requests an answer shows. The tests of every operation do
 * not know what a success has to be, so it has to be shown in another test, too.
 */
export function note(
  operation: Operation,
  request: { path: string; body?: unknown; isOfEveryOperation?: boolean },
  { status, headers, body }: Answer,
): void {
  const add = (verb: string, parts: unknown[]) => {
    for (const part of parts) {
      shown.add(`${operation} ${verb} ${part}`);
    }
  };
  const given = partsIn(operation, request);
  if (status >= 300) {
    add('answers', [status]);
  } else if (!request.isOfEveryOperation) {
    add('answers', [status]);
    add('accepts', given);
  }
  if (headers.link) {
    add('links to a next page with', given);
  }
  // A fault of a value, and not of a name.
  const { errors = [] } = (parse(body) ?? {}) as Partial<ProblemDetails>;
  const wrong = errors.filter(({ detail }) => !/^is (?:unknown|required)$| once$/.test(detail));
  if (status === 400) {
    add('refuses a value of', wrong.map(placeOf));
  }
}

function partsIn(operation: Operation, { path, body }: { path: string; body?: unknown }): string[] {
  const inPath = operations[operation].path.matchAll(/\{(\w+)\}/g);
  // Links repeat defaults, which show nothing of a parameter.
  const inQuery = [...new URL(path, 'http://a').searchParams]
    .filter(([name, text]) => text !== defaultOf(operation, name))
    .map(([name]) => name);
  return [
    ...[...inPath].map(([, name]) => `?${name}`),
    ...inQuery.map((name) => `?${name}`),
    ...Object.keys(parse(`${body}`) ?? {}).map((name) => `#/${name}`),
  ];
}

/** Returns what calls have to show of an operation, so that nothing of its requests is untried. */
export function demandedOf(operation: Operation): string[] {
  const verbs = ['accepts', 'refuses a value of'];
  if (responsesOf(operation)[200]?.headers.Link) {
    verbs.push('links to a next page with');
  }
  return partsOf(operation).flatMap((part) => verbs.map((verb) => `${operation} ${verb} ${part}`));
}
