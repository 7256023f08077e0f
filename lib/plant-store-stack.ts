import { join } from 'node:path';
import { CfnOutput, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { environment } from '../functions/shared/environment-variables.ts';
import { entryOf, type FunctionName } from './bundle.ts';
import { Api, stageName } from './constructs/api.ts';
import { addBudget } from './constructs/budget.ts';
import { addDomain } from './constructs/domain.ts';
import { Monitoring } from './constructs/monitoring.ts';
import { StoreFunction } from './constructs/store-function.ts';
import { Tables } from './constructs/tables.ts';
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
    const { plants, accessTokens } = new Tables(this, 'Tables', settings);

    const corsOrigin = settings['cors-origin'];
    const functionOnPlants = (name: FunctionName, description: string, actions: string[]) =>
      new StoreFunction(this, name, {
        code: join(bundles, entryOf[name]),
        description,
        table: plants,
        tableVariable: environment.plantsTable,
        actions,
        ...(corsOrigin && { environment: { [environment.corsOrigin]: corsOrigin } }),
        settings,
      });
    const handlers = {
      createPlant: functionOnPlants('CreatePlant', 'Creates a plant', [
        'dynamodb:PutItem',
        'dynamodb:GetItem',
      ]),
      listPlants: functionOnPlants('ListPlants', 'Lists the plants of an owner', [
        'dynamodb:Query',
      ]),
      deletePlant: functionOnPlants('DeletePlant', 'Deletes a plant', [
        'dynamodb:DeleteItem',
        'dynamodb:GetItem',
      ]),
    };
    const authorizer = new StoreFunction(this, 'Authorizer', {
      code: join(bundles, entryOf.Authorizer),
      description: 'Checks access tokens',
      table: accessTokens,
      tableVariable: environment.accessTokensTable,
      actions: ['dynamodb:GetItem'],
      settings,
    });
    const { rest } = new Api(this, 'RestApi', { handlers, authorizer, settings });
    new Monitoring(this, 'Monitoring', {
      rest,
      handlers,
      authorizer,
      plants,
      accessTokens,
      settings,
    });
    const { domain, 'monthly-budget': budget, 'alarm-email': email } = settings;
    if (budget && email) addBudget(this, budget, email);
    if (domain) addDomain(this, domain, rest, settings);

    new CfnOutput(this, 'BaseUrl', {
      value: domain ? `https://${domain}/${stageName}` : rest.url.replace(/\/$/, ''),
    });
    new CfnOutput(this, 'PlantsTableName', { value: plants.tableName });
    new CfnOutput(this, 'AccessTokensTableName', { value: accessTokens.tableName });
    const copy = settings.instance ? ` --stack ${this.stackName}` : '';
    new CfnOutput(this, 'NextCommand', {
      value: `npm run token -- issue --owner YOUR_NAME${copy}`,
    });
  }
}
