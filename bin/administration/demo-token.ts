import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { localDocumentClient } from '../../lib/database/database-client.ts';
import { issueToken } from './access-tokens.ts';

/** Issues a token for trying the plant store out. `label` says which program issued it. */
export async function demoToken(endpoint: string, label: string): Promise<string> {
  const client = localDocumentClient(endpoint);
  const inADay = Math.floor(Date.now() / 1000) + 24 * 60 * 60;
  try {
    const { token } = await issueToken(client, tableIds.accessTokens, {
      owner: 'demo',
      scopes: allScopes,
      label,
      expires: inADay,
    });
    return token;
  } finally {
    client.destroy();
  }
}
