import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { paging } from '../../functions/items/paging.ts';
import { type Operation, operationNames, operations } from '../../functions/shared/operations.ts';
import {
  ownerKey,
  type TableName,
  tableIds,
  tableKeys,
} from '../../functions/shared/table-schema.ts';
import { startDatabase } from '../../lib/offline/database/embedded-database.ts';
import { logEventBytes } from '../../lib/prices.ts';
import { largestValue } from '../plants/largest-content.ts';
import { writePlants } from '../support/database/plants-table.ts';
import { describedOperation } from '../support/description.ts';
import { fillPath } from '../support/fill-path.ts';
import { label, whole } from '../support/plant.ts';
import { startService } from '../support/service/service.ts';

/** What one request uses. */
export interface Measured {
  readUnits: number;
  writeUnits: number;
  logKilobytes: number;
  sentKilobytes: number;
}

export type MeasuredName =
  | 'create a plant'
  | 'list 20 plants'
  | 'delete a plant'
  | 'accept a token'
  | 'refuse a token';

const count = 20;

/** Returns what one request of each kind uses, on average, at a running service. */
export async function measure(): Promise<Record<MeasuredName, Measured>> {
  const units = { reads: 0, writes: 0 };
  const database = await startDatabase({
    port: 0,
    onCall({ units: { reads, writes } }) {
      units.reads += reads;
      units.writes += writes;
    },
  });
  const service = await startService({ database });
  const token = await service.issue('alice');
  const plant = (id: number) => ({ id, ...whole, [label]: 'x'.repeat(20) });

  async function send(method: string, path: string, accessToken: string, body?: object) {
    const headers = {
      Authorization: `Bearer ${accessToken}`,
      ...(body && { 'Content-Type': 'application/json' }),
    };
    const options = { method, headers, agent: false as const };
    const sent = request(`${service.baseUrl}/plants${path}`, options);
    sent.end(body && JSON.stringify(body));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await response.toArray();
    return response.socket.bytesRead;
  }
  async function average(once: (i: number) => Promise<number>): Promise<Measured> {
    const [logged, { reads, writes }] = [service.log.length, { ...units }];
    let bytes = 0;
    for (let i = 0; i < count; i += 1) bytes += await once(i);
    const lines = service.log.slice(logged);
    return {
      readUnits: (units.reads - reads) / count,
      writeUnits: (units.writes - writes) / count,
      logKilobytes: lines.reduce((sum, line) => sum + logEventBytes(line), 0) / count / 1000,
      sentKilobytes: bytes / count / 1000,
    };
  }

  const create = (id: number) => send('POST', '', token, plant(id));
  const list = () => send('GET', '?limit=20', token);
  const remove = (id: number) => send('DELETE', `/${id}`, token);
  const tokens = await Promise.all(Array.from({ length: count }, () => service.issue('alice')));
  const revoked = await Promise.all(tokens.map(() => service.issueRevoked('alice')));
  // Each function has started before it is measured.
  await create(-1);
  await list();
  await remove(-1);

  const created = await average(create);
  const listed = await average(list);
  const judgedAndListed = await average((i) => send('GET', '?limit=20', tokens[i] ?? ''));
  const refused = await average((i) => send('GET', '?limit=20', revoked[i] ?? ''));
  const deleted = await average(remove);
  await service.stop();
  await database.stop();
  return {
    'create a plant': created,
    'list 20 plants': listed,
    'delete a plant': deleted,
    'accept a token': {
      readUnits: judgedAndListed.readUnits - listed.readUnits,
      writeUnits: judgedAndListed.writeUnits - listed.writeUnits,
      logKilobytes: judgedAndListed.logKilobytes - listed.logKilobytes,
      sentKilobytes: judgedAndListed.sentKilobytes - listed.sentKilobytes,
    },
    'refuse a token': refused,
  };
}

/** What the dearest request of an operation uses, without its headers and the authorizer. */
export interface Dearest {
  readUnits: number;
  writeUnits: number;
  bodyBytes: number;
}

const largestId = 2n ** 63n - 1n;
const pages = 3;

/**
 * Returns what the dearest request of each operation uses. Its owner has the longest name and three
 * pages of the largest items. A list is asked for by each of its parameters, with a value that no
 * item has.
 */
export async function measureDearest(): Promise<Dearest[]> {
  const units = { reads: 0, writes: 0 };
  const database = await startDatabase({
    port: 0,
    onCall({ functionName, units: { reads, writes } }) {
      if (functionName === 'Authorizer') return;
      units.reads += reads;
      units.writes += writes;
    },
  });
  const service = await startService({ database });
  const owner = 'o'.repeat(128);
  const headers = {
    Authorization: `Bearer ${await service.issue(owner)}`,
    'Content-Type': 'application/json',
  };
  const contentOf = (name: Operation, character?: string) => {
    const body = describedOperation(name).requestBody?.content['application/json'];
    const fields = Object.entries(body?.schema.properties ?? {});
    return Object.fromEntries(
      fields
        .filter(([field]) => field !== ownerKey.sort)
        .map(([name, field]) => [name, largestValue(name, field, character)]),
    );
  };

  for (const name of operationNames.filter((each) => operations[each].method === 'POST')) {
    const Items = Array.from({ length: pages * 1001 }, (_, i) => ({
      [ownerKey.partition]: owner,
      [ownerKey.sort]: largestId - BigInt(i),
      // As many bytes, because dynalite counts characters.
      ...contentOf(name, 'a'),
      nonce: Buffer.alloc(8),
    }));
    const requests = Items.map((Item) => ({ PutRequest: { Item } }));
    for (const table of Object.keys(operations[name].tables) as TableName[])
      if (tableKeys[table] === ownerKey)
        await writePlants(service.database, requests, tableIds[table]);
  }

  const dearest: Dearest[] = [];
  for (const [i, name] of operationNames.entries()) {
    const { method, path, successes } = operations[name];
    const body =
      method === 'POST' ? `{"id":${-largestId},${JSON.stringify(contentOf(name)).slice(1)}` : null;
    const queries = (describedOperation(name).parameters ?? [])
      .filter(({ in: place, name }) => place === 'query' && !(name in paging))
      .map((parameter) => `?${parameter.name}=-`);
    const worst = { readUnits: 0, writeUnits: 0, bodyBytes: 0 };
    // A create is repeated, which reads the item that is there.
    for (const query of method === 'POST' ? ['', ''] : ['', ...queries]) {
      Object.assign(units, { reads: 0, writes: 0 });
      // An item of its own, because another operation may have deleted it.
      const id = `${largestId - BigInt(i)}`;
      const url = `${service.baseUrl}/${fillPath(path, id)}${query}`;
      const answer = await fetch(url, { method, headers, body });
      if (!(answer.status in successes))
        throw new Error(
          `${url} was answered with ${answer.status}: write a value that it accepts.`,
        );
      worst.readUnits = Math.max(worst.readUnits, units.reads);
      const written = body === null ? 1 : Math.ceil(Buffer.byteLength(owner + body) / 1024);
      worst.writeUnits = Math.max(worst.writeUnits, units.writes * written);
      worst.bodyBytes = Math.max(worst.bodyBytes, (await answer.bytes()).length);
    }
    dearest.push(worst);
  }
  await service.stop();
  await database.stop();
  return dearest;
}
