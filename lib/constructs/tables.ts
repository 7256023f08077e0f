import { type CfnElement, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { type TableName, tableIds, tableKeys } from '../../functions/shared/table-schema.ts';
import type { Settings } from '../settings.ts';

/**
 * Adds the tables. They are separate so that no plant handler can read a token, and so that a
 * backup of plants does not bring revoked tokens back.
 */
export function addTables(stack: Construct, settings: Settings): Record<TableName, TableV2> {
  const scope = new Construct(stack, 'Tables');
  const retain = settings.retention === 'retain';
  const table = (name: TableName) => {
    const { partition, sort, sortType = 'NUMBER', expiry } = tableKeys[name];
    const made = new TableV2(scope, tableIds[name], {
      partitionKey: { name: partition, type: AttributeType.STRING },
      ...(sort && { sortKey: { name: sort, type: AttributeType[sortType] } }),
      ...(expiry && { timeToLiveAttribute: expiry }),
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
  const names = Object.keys(tableIds) as TableName[];
  return Object.fromEntries(names.map((name) => [name, table(name)])) as Record<TableName, TableV2>;
}
