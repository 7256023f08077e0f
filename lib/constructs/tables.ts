import { type CfnElement, RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  TableEncryptionV2,
  type TablePropsV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import {
  accessTokenExpiry,
  accessTokenKey,
  plantKey,
  type TableName,
  tableIds,
} from '../../functions/shared/table-schema.ts';
import type { Settings } from '../settings.ts';

/** The keys of each table as CDK takes them. */
const keysOf: Record<
  TableName,
  Pick<TablePropsV2, 'partitionKey' | 'sortKey' | 'timeToLiveAttribute'>
> = {
  plants: {
    partitionKey: { name: plantKey.partition, type: AttributeType.STRING },
    sortKey: { name: plantKey.sort, type: AttributeType.NUMBER },
  },
  accessTokens: {
    partitionKey: { name: accessTokenKey.partition, type: AttributeType.STRING },
    timeToLiveAttribute: accessTokenExpiry,
  },
};

/**
 * Adds the tables. They are separate so that no plant handler can read a token, and so that a
 * backup of plants does not bring revoked tokens back.
 */
export function addTables(
  stack: Construct,
  { retention }: Pick<Settings, 'retention'>,
): Record<TableName, TableV2> {
  const scope = new Construct(stack, 'Tables');
  const retain = retention === 'retain';
  const table = (name: TableName) => {
    const made = new TableV2(scope, tableIds[name], {
      ...keysOf[name],
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: retain,
      removalPolicy: retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    // The logical id is pinned, because another one would be another, empty table.
    (made.node.defaultChild as CfnElement).overrideLogicalId(tableIds[name]);
    return made;
  };
  return { plants: table('plants'), accessTokens: table('accessTokens') };
}
