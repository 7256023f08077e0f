import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { startDatabase } from '../../lib/database/embedded-database.ts';
import { logEventBytes } from '../../lib/prices.ts';
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
  const plant = (id: number) => ({ id, name: 'x'.repeat(18), tag: 'x'.repeat(6) });

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
