import { connect, requireVariable } from './dynamodb/client.ts';
import { warmUpClient } from './dynamodb/warm-up.ts';
import { operation } from './http/operation.ts';
import { formatCursor, listQuery } from './plants/page.ts';
import { publicFields } from './plants/plant.ts';
import { plantStore } from './plants/store.ts';
import { tableVariable } from './shared/environment-variables.ts';

const database = connect();
const plants = plantStore(database, requireVariable(tableVariable('plants')));

/** `GET /plants`: a page in the order of the ids, and a `Link` to the next one (RFC 8288). */
export const handler = operation({ query: listQuery }, async ({ query }, context) => {
  const { limit, cursor } = query;
  const { owner, requestPath, abortSignal } = context;
  // An additional plant shows that there is a next page.
  const found = await plants.list(owner, limit + 1, cursor, { abortSignal });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const headers: Record<string, string> = {};
  if (last && found.length > limit) {
    const next = `${requestPath}?limit=${limit}&cursor=${formatCursor(last.id)}`;
    headers.Link = `<${next}>; rel="next"`;
  }
  return { code: 'PLANTS_LISTED', status: 200, headers, body: page.map(publicFields) };
});

const items = [{ id: { N: '0' }, name: { S: '-' }, tag: { S: '' } }];
export const warmUp = (): Promise<unknown> =>
  warmUpClient(database, { Items: items }, () => plants.list('-', 1));
