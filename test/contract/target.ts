import { engine } from '../support/database/engines.ts';
import { writePlants } from '../support/database/plants-table.ts';
import { label, stored } from '../support/plant.ts';
import { startService } from '../support/service/service.ts';

export interface Target {
  /** With the stage, without a slash at its end. */
  baseUrl: string;
  /** Belongs to an owner without plants. */
  token: string;
  /** Belongs to another owner without plants. */
  otherToken: string;
  /** Has the scope plants:read only. */
  readToken: string;
  revokedToken: string;
  expiredToken: string;
  /** `sam local` has its own answers instead of the gateway's. */
  isSam: boolean;
  /** AWS, or what stands for it, is in front of it. */
  isDeployed: boolean;
  /** Creates plants of the first owner in the database at once, and returns what deletes them. */
  createMany?(ids: number[]): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

/** Returns the service that `npm run contract` names in the environment, or starts one. */
export async function openTarget(): Promise<Target> {
  const given = process.env.CONTRACT_TARGET;
  return given ? { ...JSON.parse(given), stop: async () => {} } : ownService();
}

async function ownService(): Promise<Target> {
  const database = await engine().start();
  const service = await startService({ database });
  const owner = 'alice';
  return {
    baseUrl: service.baseUrl,
    async createMany(ids) {
      const write = (requestOf: (id: number) => object) =>
        writePlants(service.database, ids.map(requestOf));
      await write((id) => ({
        PutRequest: { Item: stored(owner, id, { [label]: `Plant ${id}` }) },
      }));
      return () => write((id) => ({ DeleteRequest: { Key: { owner, id } } }));
    },
    token: await service.issue(owner),
    otherToken: await service.issue('bob'),
    readToken: await service.issue('carol', ['plants:read']),
    revokedToken: await service.issueRevoked(owner),
    expiredToken: await service.issueExpired(owner),
    isSam: false,
    isDeployed: false,
    stop: () => service.stop().finally(database.stop),
  };
}
