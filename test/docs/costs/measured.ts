import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { startDatabase } from '../../../lib/offline/database/embedded-database.ts';
import { logEventBytes } from '../../../lib/prices.ts';
import { writePlants } from '../../support/database/plants-table.ts';
import { label, whole } from '../../support/plant.ts';
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
 * pages of the largest plants.
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
  const largest = { name: '🪴'.repeat(200), tag: '🪴'.repeat(100) };
  // As many bytes, because dynalite counts characters.
  const stored = { name: 'a'.repeat(800), tag: 'a'.repeat(400) };
  const plants = Array.from({ length: pages * 1001 }, (_, i) => ({
    PutRequest: { Item: { owner, id: largestId - BigInt(i), ...stored, nonce: Buffer.alloc(8) } },
  }));
  await writePlants(service.database, plants);

  async function use(method: string, path: string, body?: string): Promise<Dearest> {
    Object.assign(units, { reads: 0, writes: 0 });
    const answer = await fetch(service.baseUrl + path, { method, headers, body: body ?? null });
    if (answer.status >= 300) {
      throw new Error(`${method} ${path} was answered with ${answer.status}.`);
    }
    const kilobytes = body === undefined ? 1 : Math.ceil(Buffer.byteLength(owner + body) / 1024);
    return {
      readUnits: units.reads,
      writeUnits: units.writes * kilobytes,
      bodyBytes: (await answer.bytes()).length,
    };
  }

  const body = `{"id":${-largestId},${JSON.stringify(largest).slice(1)}`;
  const created = await use('POST', '/plants', body);
  // A create is repeated, which reads the plant that is there.
  const repeated = await use('POST', '/plants', body);
  const dearest = [
    {
      readUnits: Math.max(created.readUnits, repeated.readUnits),
      writeUnits: Math.max(created.writeUnits, repeated.writeUnits),
      bodyBytes: Math.max(created.bodyBytes, repeated.bodyBytes),
    },
    await use('GET', '/plants'),
    await use('DELETE', `/plants/${largestId}`),
  ];
  await service.stop();
  await database.stop();
  return dearest;
}
