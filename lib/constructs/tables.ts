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
  type TableKey,
  type TableName,
  tableIds,
  tableKeys,
} from '../../functions/shared/table-schema.ts';
import type { Settings } from '../settings.ts';

/**
 * Adds the tables. They are separate so that no plant handler can read a token, and so that a
 * backup of plants does not bring revoked tokens back.
 *
 * If you add `replicas`, give the stack an `env` with its region, and each owner a home region for
 * writes. Lists are consistent within one region only, and if two regions create the same id, the
 * later write wins:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/V2globaltables_HowItWorks.html
 */
export function addTables(stack: Construct, settings: Settings): Record<TableName, TableV2> {
  const scope = new Construct(stack, 'Tables');
  const retain = settings.retention === 'retain';
  function addTable(name: TableName): TableV2 {
    const { expiry } = tableKeys[name];
    const made = new TableV2(scope, tableIds[name], {
      ...keysOf(tableKeys[name]),
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
  }
  const names = Object.keys(tableIds) as TableName[];
  return Object.fromEntries(names.map((name) => [name, addTable(name)])) as Record<
    TableName,
    TableV2
  >;
}

/** Returns the parts of a table's key with their types. */
function keysOf({ partition, sort }: TableKey): Pick<TablePropsV2, 'partitionKey' | 'sortKey'> {
  return {
    partitionKey: { name: partition, type: AttributeType.STRING },
    ...(sort && { sortKey: { name: sort, type: AttributeType.NUMBER } }),
  };
}
