import { join } from 'node:path';
import { CfnOutput, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { environment, tableVariable } from '../functions/shared/environment-variables.ts';
import { type Operation, operationNames, operations } from '../functions/shared/operations.ts';
import type { TableName } from '../functions/shared/table-schema.ts';
import { entryOf, functionOf } from './bundle.ts';
import { addApi, stageName } from './constructs/api.ts';
import { addBudget } from './constructs/budget.ts';
import { addDomain } from './constructs/domain.ts';
import { addMonitoring } from './constructs/monitoring.ts';
import { StoreFunction, type TableAccess } from './constructs/store-function.ts';
import { addTables } from './constructs/tables.ts';
import type { Settings } from './settings.ts';

export interface PlantStoreProps extends StackProps {
  settings: Settings;
  /** The folder that holds the functions' bundles. */
  bundles: string;
}

/** The plant store: its tables, its functions and the API in front of them. */
export class PlantStoreStack extends Stack {
  constructor(scope: Construct, id: string, props: PlantStoreProps) {
    super(scope, id, props);
    const { settings, bundles } = props;
    // The bill can show the cost of each copy:
    // https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/cost-alloc-tags.html
    Tags.of(this).add('plant-store', id);
    const tables = addTables(this, settings);

    const accessTo = (name: TableName, actions: readonly string[]): TableAccess => ({
      table: tables[name],
      variable: tableVariable(name),
      actions,
    });
    const corsOrigin = settings['cors-origin'];
    const handlerOf = (name: Operation): StoreFunction => {
      const { method, path, entry, tables: used } = operations[name];
      return new StoreFunction(this, functionOf(name), {
        code: join(bundles, entry),
        description: `${method} /${path}`,
        tables: Object.entries<readonly string[]>(used).map(([table, actions]) =>
          accessTo(table as TableName, actions),
        ),
        ...(corsOrigin && { environment: { [environment.corsOrigin]: corsOrigin } }),
        settings,
      });
    };
    const handlers = Object.fromEntries(
      operationNames.map((name) => [name, handlerOf(name)]),
    ) as Record<Operation, StoreFunction>;
    const authorizer = new StoreFunction(this, 'Authorizer', {
      code: join(bundles, entryOf.Authorizer),
      description: 'Checks access tokens',
      tables: [accessTo('accessTokens', ['GetItem'])],
      settings,
    });
    const rest = addApi(this, handlers, authorizer, settings);
    addMonitoring(this, { rest, handlers, authorizer, tables, settings });
    addBudget(this, settings);
    const { domain } = settings;
    if (domain) {
      addDomain(this, domain, rest, settings);
    }

    new CfnOutput(this, 'BaseUrl', {
      value: domain ? `https://${domain}/${stageName}` : rest.url.replace(/\/$/, ''),
    });
    for (const { node, tableName } of Object.values(tables)) {
      new CfnOutput(this, `${node.id}TableName`, { value: tableName });
    }
    new CfnOutput(this, 'NextCommand', {
      value: `npm run token -- issue --owner YOUR_NAME --stack ${this.stackName}`,
    });
  }
}
