import { type CfnElement, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { type TableName, tableIds, tableKeys } from '../../functions/shared/table-schema.ts';
import type { Settings } from './settings.ts';

export type Tables = Record<TableName, TableV2>;

/**
 * Adds the tables. Tokens have their own, so that no plant handler can read them, and so that a
 * restore of plants does not bring revoked tokens back. They have no TTL: a token that has expired
 * must say so in the list and in the log, and not be unknown.
 *
 * If you add `replicas`, give the stack an `env` with its region, and each owner a home region for
 * writes. Lists are consistent within one region only, and if two regions create the same id, the
 * later write wins:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/V2globaltables_HowItWorks.html
 */
export function addTables(stack: Construct, settings: Settings): Tables {
  const scope = new Construct(stack, 'Tables');
  return {
    plants: addTable(scope, 'plants', settings),
    accessTokens: addTable(scope, 'accessTokens', settings),
  };
}

function addTable(scope: Construct, name: TableName, { retention }: Settings): TableV2 {
  const { partition, sort } = tableKeys[name];
  const isKept = retention === 'retain';
  const table = new TableV2(scope, tableIds[name], {
    partitionKey: { name: partition, type: AttributeType.STRING },
    ...(sort && { sortKey: { name: sort, type: AttributeType.NUMBER } }),
    billing: Billing.onDemand(),
    encryption: TableEncryptionV2.dynamoOwnedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: isKept,
    removalPolicy: isKept ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  // The logical id is pinned, because another one would be another, empty table.
  (table.node.defaultChild as CfnElement).overrideLogicalId(tableIds[name]);
  return table;
}
