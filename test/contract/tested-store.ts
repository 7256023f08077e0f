import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll } from '@jest/globals';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { makeToken } from '../../lib/tokens/make-token.ts';
import { openDatabase } from '../support/database/engine.ts';
import { makePlant } from '../support/plant.ts';
import { startService } from '../support/service/service.ts';

/** A running plant store. */
export interface TestedStore {
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
  /** Runs in `sam local`, which has responses of its own instead of the gateway's. */
  isSam: boolean;
  /** Runs on AWS or on an AWS emulator. */
  isDeployed: boolean;
  /** The proxy for HTTPS, as Node's agents take it. */
  proxy?: Record<string, string>;
}

const named: TestedStore | undefined =
  JSON.parse(process.env.CONTRACT_STORE ?? 'null') ?? undefined;

/** Whether it is SAM CLI. Known before the tests begin, because it decides which tests run. */
export const isSam = named?.isSam === true;
export const isDeployed = named?.isDeployed === true;
export const proxy = named?.proxy;
/** Whether `npm run contract` runs the suite. */
export const isNamed = named !== undefined;

/** A token that was never issued. Its checksum is right. */
export const { token: unknownToken } = makeToken();

/** The store under test, once the tests begin: the one in CONTRACT_STORE, or a new one. */
export let tested: TestedStore;
/**
 * Stores plants with these ids and their names `Plant ID` directly, if the database is at hand.
 * They belong to the owner of `readToken`, and stay.
 */
export let store: ((ids: number[]) => Promise<void>) | undefined;

let serverErrors: string[] = [];
let isPrinted = false;

/** Prints the log line and the stack of the service's first 5xx, once. */
export function printServerError(): void {
  const [first] = serverErrors;
  if (first !== undefined && !isPrinted) {
    isPrinted = true;
    process.stderr.write(`The service logged this for its first 5xx:\n${first}\n`);
  }
}

beforeAll(async () => {
  tested = named ?? (await startOwn());
});

async function startOwn(): Promise<TestedStore> {
  const { endpoint } = await openDatabase();
  const service = await startService(endpoint);
  serverErrors = service.serverErrors;

  store = async (ids) => {
    const requests = ids.map((id) => ({
      PutRequest: { Item: { owner: 'carol', ...makePlant(BigInt(id), `Plant ${id}`) } },
    }));
    // As many at a time as DynamoDB takes.
    for (let start = 0; start < requests.length; start += 25) {
      const RequestItems = { [tableIds.plants]: requests.slice(start, start + 25) };
      await service.database.send(new BatchWriteCommand({ RequestItems }));
    }
  };
  return {
    baseUrl: service.baseUrl,
    token: await service.issue('alice'),
    otherToken: await service.issue('Alice'),
    readToken: await service.issue('carol', ['plants:read']),
    revokedToken: await service.issueRevoked('alice'),
    expiredToken: await service.issueExpired('alice'),
    isSam: false,
    isDeployed: false,
  };
}
