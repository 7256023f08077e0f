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
  tableIds,
} from '../../functions/shared/table-schema.ts';
import type { Settings } from '../settings.ts';

/**
 * The two tables. They are separate so that no plant handler can read a token, and so that a backup
 * of plants does not bring revoked tokens back.
 */
export class Tables extends Construct {
  readonly plants: TableV2;
  readonly accessTokens: TableV2;

  constructor(scope: Construct, id: string, settings: Pick<Settings, 'retention'>) {
    super(scope, id);
    const retain = settings.retention === 'retain';
    const table = (
      name: string,
      keys: Pick<TablePropsV2, 'partitionKey' | 'sortKey' | 'timeToLiveAttribute'>,
    ) => {
      const made = new TableV2(this, name, {
        ...keys,
        billing: Billing.onDemand(),
        encryption: TableEncryptionV2.dynamoOwnedKey(),
        pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
        deletionProtection: retain,
        removalPolicy: retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      });
      // The logical id is pinned, because a new one means a new, empty table.
      (made.node.defaultChild as CfnElement).overrideLogicalId(name);
      return made;
    };
    this.plants = table(tableIds.plants, {
      partitionKey: { name: plantKey.partition, type: AttributeType.STRING },
      sortKey: { name: plantKey.sort, type: AttributeType.NUMBER },
    });
    this.accessTokens = table(tableIds.accessTokens, {
      partitionKey: { name: accessTokenKey.partition, type: AttributeType.STRING },
      timeToLiveAttribute: accessTokenExpiry,
    });
  }
}
