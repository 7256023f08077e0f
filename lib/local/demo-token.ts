import { connect } from '../../functions/dynamodb/client.ts';
import { allScopes } from '../../functions/shared/operations.ts';
import { tableIds } from '../../functions/shared/table-schema.ts';
import { deleteToken, issueToken, listTokens } from '../tokens/tokens.ts';
import { makeLocalConfig } from './database/client.ts';

export const demo = { owner: 'demo', hours: 24 };

/**
 * Issues a token for trying out the API, and deletes the expired ones of former starts, which have
 * the same label.
 */
export async function issueDemoToken(endpoint: string, label: string): Promise<string> {
  const database = connect(makeLocalConfig(endpoint));
  const table = tableIds.accessTokens;
  for (const token of await listTokens(database, table, demo.owner)) {
    if (token.kind === 'whole' && token.status === 'expired' && token.record.label === label) {
      await deleteToken(database, table, token.id);
    }
  }
  const lifetime = demo.hours * 60 * 60;
  const input = { owner: demo.owner, scopes: allScopes, label, lifetime };
  const { token } = await issueToken(database, table, input);
  database.destroy();
  return token;
}
