import { engine } from '../engines.ts';
import { startService } from '../service.ts';

export interface Target {
  /** Up to and including the stage, without a slash at its end. */
  baseUrl: string;
  /** Of an owner without plants. */
  token: string;
  /** Of another owner without plants. */
  otherToken: string;
  /** With the scope plants:read alone. */
  readToken: string;
  revokedToken?: string | undefined;
  expiredToken?: string | undefined;
  /** Where it is `sam local`, answers of the gateway's own are not ours. */
  isSam: boolean;
  stop(): Promise<void>;
}

/** The service that the environment names (bin/contract.ts sets it), or else one started for the suite. */
export async function openTarget(): Promise<Target> {
  const {
    CONTRACT_BASE_URL: baseUrl,
    CONTRACT_TOKEN,
    CONTRACT_OTHER_TOKEN,
    CONTRACT_READ_TOKEN,
  } = process.env;
  if (!baseUrl) return ownService();
  return {
    baseUrl,
    token: CONTRACT_TOKEN ?? '',
    otherToken: CONTRACT_OTHER_TOKEN ?? '',
    readToken: CONTRACT_READ_TOKEN ?? '',
    revokedToken: process.env.CONTRACT_REVOKED_TOKEN,
    expiredToken: process.env.CONTRACT_EXPIRED_TOKEN,
    isSam: process.env.CONTRACT_TARGET === 'sam',
    stop: async () => {},
  };
}

async function ownService(): Promise<Target> {
  const database = await engine().start();
  const service = await startService({ database });
  return {
    baseUrl: service.baseUrl,
    token: await service.issue('alice'),
    otherToken: await service.issue('bob'),
    readToken: await service.issue('carol', ['plants:read']),
    revokedToken: await service.issueRevoked('alice'),
    expiredToken: await service.issueExpired('alice'),
    isSam: false,
    async stop() {
      await service.stop();
      await database.stop();
    },
  };
}
