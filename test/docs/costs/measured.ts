import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { descriptions } from '../../../bin/openapi/descriptions.ts';
import type { InputSchema } from '../../../functions/http/input.ts';
import type { Field, Fields } from '../../../functions/items/fields.ts';
import { paging } from '../../../functions/items/paging.ts';
import {
  type Operation,
  operationNames,
  operations,
} from '../../../functions/shared/operations.ts';
import {
  ownerKey,
  type TableName,
  tableIds,
  tableKeys,
} from '../../../functions/shared/table-schema.ts';
import { startDatabase } from '../../../lib/offline/database/embedded-database.ts';
import { logEventBytes } from '../../../lib/prices.ts';
import { largestValue } from '../../plants/largest-content.ts';
import { writePlants } from '../../support/database/plants-table.ts';
import { describedOperation } from '../../support/openapi/description.ts';
import { label, whole } from '../../support/plant.ts';
import { answersOf } from '../../support/service/lambda-events.ts';
import { startService } from '../../support/service/service.ts';

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
    for (let i = 0; i < count; i += 1) {
      bytes += await once(i);
    }
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
      if (functionName === 'Authorizer') {
        return;
      }
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
    const { properties = {} } =
      describedOperation(name).requestBody?.content['application/json']?.schema ?? {};
    const fields = Object.entries<Field<unknown>>(
      (descriptions[name].input as InputSchema).body ?? {},
    );
    return Object.fromEntries(
      fields
        .filter(([field]) => field !== ownerKey.sort)
        .map(([field, { kind }]) => {
          const [example] = kind.samples().good;
          return [field, largestValue(properties[field] ?? { type: 'string' }, example, character)];
        }),
    );
  };

  /** Each operation has an item of its own, because another may delete it. */
  const idOf = (name: Operation) => largestId - BigInt(operationNames.indexOf(name));
  const actionsOn = (table: TableName, name: Operation): readonly string[] =>
    (operations[name].tables as Partial<Record<TableName, readonly string[]>>)[table] ?? [];

  /** Returns the partitions of a table that the requests use, and how many items they need. */
  function partitionsOf(table: TableName): { value: string; items: number }[] {
    const { ownerRows } = tableKeys[table];
    switch (ownerRows.by) {
      case 'partition':
        return [{ value: owner, items: pages * 1001 }];
      case 'start of the partition':
        return operationNames
          .filter((name) => actionsOn(table, name).length > 0)
          .map((name) => ({
            value: `${owner}${ownerRows.separator}${idOf(name)}`,
            items: actionsOn(table, name).includes('Query') ? pages * 1001 : operationNames.length,
          }));
      case 'attribute':
      case 'none':
        return [];
    }
  }

  for (const name of operationNames.filter((each) => operations[each].method === 'POST')) {
    const written = (Object.keys(tableIds) as TableName[]).filter((table) =>
      actionsOn(table, name).includes('PutItem'),
    );
    for (const table of written) {
      const { partition, sort = ownerKey.sort, sortType } = tableKeys[table];
      // As many bytes, because dynalite counts characters.
      const content = contentOf(name, 'a');
      // The first text is what the requests name.
      const text = (i: number) => (i === 0 ? content[sort] : `${content[sort]} ${i}`);
      for (const { value, items } of partitionsOf(table)) {
        const Items = Array.from({ length: items }, (_, i) => ({
          ...content,
          [partition]: value,
          [sort]: sortType === 'STRING' ? text(i) : largestId - BigInt(i),
          nonce: Buffer.alloc(8),
        }));
        const requests = Items.map((Item) => ({ PutRequest: { Item } }));
        await writePlants(service.database, requests, tableIds[table]);
      }
    }
  }

  /** Returns the members of a body that are texts of keys, with values that no item has. */
  function newTextKeys(name: Operation): Record<string, unknown> {
    const fields: Fields = (descriptions[name].input as InputSchema).body ?? {};
    const keys = Object.values(tableKeys)
      .filter(({ sortType }) => sortType === 'STRING')
      .map(({ sort = '' }) => sort);
    return Object.fromEntries(
      keys.flatMap((key) => (fields[key] ? [[key, fields[key].kind.samples().good[1]]] : [])),
    );
  }

  /** Returns the path of an operation on its own item. */
  function pathOf(name: Operation): string {
    const fields: Fields = (descriptions[name].input as InputSchema).path ?? {};
    return operations[name].path.replaceAll(/\{(\w+)\}/g, (_, parameter) => {
      const samples = fields[parameter]?.kind.samples().good ?? [];
      return parameter === ownerKey.sort ? `${idOf(name)}` : `${samples[0]}`;
    });
  }

  /** Returns the largest body of an operation, or null if it takes none. */
  function bodyOf(name: Operation): string | null {
    const content = describedOperation(name).requestBody?.content['application/json'];
    if (!content) {
      return null;
    }
    const others = JSON.stringify({ ...contentOf(name), ...newTextKeys(name) });
    const hasId = ownerKey.sort in content.schema.properties;
    return hasId ? `{"${ownerKey.sort}":${-largestId},${others.slice(1)}` : others;
  }

  const dearest: Dearest[] = [];
  for (const name of operationNames) {
    const { method } = operations[name];
    const body = bodyOf(name);
    const query: Fields = (descriptions[name].input as InputSchema).query ?? {};
    const queries = Object.entries(query)
      .filter(([parameter]) => !(parameter in paging))
      .map(([parameter, { kind }]) => {
        const texts = kind.toParameter(kind.samples().good.at(-1));
        return `?${new URLSearchParams(texts.map((text) => [parameter, text]))}`;
      });
    const worst = { readUnits: 0, writeUnits: 0, bodyBytes: 0 };
    // A create is repeated, which reads the item that is there.
    for (const query of method === 'POST' ? ['', ''] : ['', ...queries]) {
      Object.assign(units, { reads: 0, writes: 0 });
      const url = `${service.baseUrl}/${pathOf(name)}${query}`;
      const answer = await fetch(url, { method, headers, body });
      if (!answersOf(name).includes(answer.status)) {
        throw new Error(
          `${url} was answered with ${answer.status}: write a value that it accepts.`,
        );
      }
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
