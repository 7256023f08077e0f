import { type App, CfnOutput, Stack, Tags } from 'aws-cdk-lib';
import type { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { environment } from '../../functions/shared/environment-variables.ts';
import {
  authorizer,
  type Operation,
  operations,
  stageName,
} from '../../functions/shared/operations.ts';
import { addApi } from './api.ts';
import { addDomain } from './domain.ts';
import { addMonitoring } from './monitoring.ts';
import type { Settings } from './settings.ts';
import { addStoreFunction } from './store-function.ts';
import { addTables } from './tables.ts';

/** The plant store: tables, functions, API and alarms. */
export class PlantStoreStack extends Stack {
  constructor(app: App, settings: Settings) {
    const id = settings.instance ? `PlantStore-${settings.instance}` : 'PlantStore';
    super(app, id, { description: 'Plant Store: an API for plants, with bearer tokens' });
    // The bill can show the cost of each copy by this tag:
    // https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/cost-alloc-tags.html
    Tags.of(this).add('plant-store', id);

    const tables = addTables(this, settings);
    const { domain, 'cors-origin': corsOrigin } = settings;
    const addHandler = (id: string, name: Operation): NodejsFunction => {
      const { method, path, entry, tables: usedTables } = operations[name];
      const props = {
        entry,
        tables: usedTables,
        description: `${method} /${path}`,
        ...(corsOrigin && { environment: { [environment.corsOrigin]: corsOrigin } }),
      };
      return addStoreFunction(this, id, props, tables, settings);
    };
    const handlers = {
      createPlant: addHandler('CreatePlant', 'createPlant'),
      listPlants: addHandler('ListPlants', 'listPlants'),
      deletePlant: addHandler('DeletePlant', 'deletePlant'),
    };
    const authorizerProps = { ...authorizer, description: 'Checks access tokens' };
    const authorize = addStoreFunction(this, 'Authorizer', authorizerProps, tables, settings);
    const rest = addApi(this, handlers, authorize, settings);
    addMonitoring(this, rest, handlers, authorize, settings);
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
      value: `npm run -s token -- issue --owner YOUR_NAME --stack ${this.stackName}`,
    });
  }
}
