import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { issueToken } from '../../functions/access-tokens/administration.ts';
import { allScopes } from '../../functions/contract/scopes.ts';
import { localCredentials } from '../../lib/local/execution-environment.ts';
import { region } from '../../lib/local/intrinsics.ts';

/** Issues an access token for someone who tries the plant store out; `label` says where it came from. */
export async function demoToken(endpoint: string, label: string): Promise<string> {
  const client = new DynamoDBClient({ endpoint, region: region(), credentials: localCredentials });
  const inADay = Math.floor(Date.now() / 1000) + 24 * 60 * 60;
  try {
    // Locally a table's name is its logical id.
    const { token } = await issueToken(DynamoDBDocumentClient.from(client), 'AccessTokens', {
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
