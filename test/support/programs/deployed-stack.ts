import { join } from 'node:path';
import { tableKeys } from '../../../functions/shared/table-schema.ts';
import { createTable } from '../../../lib/local/database/tables.ts';
import { temporaryFolder } from '../cleanup.ts';
import { openDatabase } from '../database/engine.ts';
import { describeStack } from '../http/described-stack.ts';
import { serve } from '../http/servers.ts';

const arn = 'arn:aws:dynamodb:eu-west-1:666666666666:table/evil';
const noStack =
  '<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code>' +
  '<Message>Stack with id Nope does not exist</Message></Error></ErrorResponse>';

export const keys = { AWS_ACCESS_KEY_ID: 'ENVIRONMENT', AWS_SECRET_ACCESS_KEY: 'secret' };
export const account = { ...keys, AWS_REGION: 'eu-west-1' };

/**
 * Starts a small server as CloudFormation, with the stacks PlantStore, Else and Evil, and a local
 * engine as their DynamoDB. Returns the environment that leads there.
 */
export async function startDeployedStack() {
  // The database has the tables of npm start, and the stack's table of access tokens.
  const { endpoint, database } = await openDatabase();
  const table = 'PlantStore-AccessTokens-1ABC';
  await createTable(database, table, tableKeys.accessTokens);
  const ownTables = { AccessTokensTableName: table, PlantsTableName: 'PlantStore-Plants-1ABC' };
  const outputs: Record<string, Record<string, string>> = {
    PlantStore: ownTables,
    Else: { BucketName: 'b' },
    Evil: { ...ownTables, AccessTokensTableName: arn },
  };
  /** What CloudFormation was asked. */
  const asked: object[] = [];
  /** By how much AWS's clock is ahead of this computer's. */
  const awsClock = { aheadMs: 0 };
  const cloudFormation = await serve(async (request, response) => {
    const form = new URLSearchParams(`${Buffer.concat(await request.toArray())}`);
    const stack = form.get('StackName') ?? '';
    const [, credential = ''] = /Credential=([^,]*)/.exec(`${request.headers.authorization}`) ?? [];
    const [accessKeyId, , region] = credential.split('/');
    asked.push({ action: form.get('Action'), stack, accessKeyId, region });
    const described = describeStack(stack, outputs[stack] ?? {}, region);
    const date = new Date(Date.now() + awsClock.aheadMs).toUTCString();
    response.writeHead(stack === 'Nope' ? 400 : 200, { date });
    response.end(stack === 'Nope' ? noStack : described);
  });
  const folder = temporaryFolder();
  const env = {
    // The SDK looks for sessions of SSO there.
    HOME: folder,
    USERPROFILE: folder,
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  };
  return { env, endpoint, database, table, asked, awsClock };
}
