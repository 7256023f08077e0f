import { type App, CfnOutput, Stack, Tags } from 'aws-cdk-lib';
import type { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { environment } from '../../functions/shared/environment-variables.ts';
import {
  authorizer,
  type Operation,
  operations,
  stageName,
} from '../../functions/shared/operations.ts';
import { Alarms } from './alarms.ts';
import { addApi, makeThrottle } from './api.ts';
import { addCeiling } from './ceiling.ts';
import { addDomain } from './domain.ts';
import { addMonitoring } from './monitoring.ts';
import type { Settings } from './settings.ts';
import { addStoreFunction } from './store-function.ts';
import { addTables, type Tables } from './tables.ts';

/** The plant store: tables, functions, API and alarms. */
export class PlantStoreStack extends Stack {
  constructor(app: App, settings: Settings) {
    const id = settings.instance ? `PlantStore-${settings.instance}` : 'PlantStore';
    super(app, id, { description: 'Plant Store: an API for plants, with bearer tokens' });
    // The bill can show the cost of each copy by this tag:
    // https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/cost-alloc-tags.html
    Tags.of(this).add('plant-store', id);

    const tables = addTables(this, settings);
    const handlers = {} as Record<Operation, NodejsFunction>;
    for (const name of Object.keys(operations) as Operation[]) {
      handlers[name] = addHandler(this, name, tables, settings);
    }
    const authorizerProps = { ...authorizer, description: 'Checks access tokens' };
    const authorize = addStoreFunction(this, 'Authorizer', authorizerProps, tables, settings);
    const rest = addApi(this, handlers, authorize, settings);
    const alarms = new Alarms(this, settings['alarm-email']);
    addMonitoring(alarms, rest, handlers, authorize, settings);
    const { domain, 'daily-requests': dailyRequests } = settings;
    if (dailyRequests) {
      addCeiling(this, rest, alarms, dailyRequests, makeThrottle(settings));
    }
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

/** Adds the function of an operation. Its logical id is the operation's name with a capital. */
function addHandler(
  stack: Stack,
  name: Operation,
  tables: Tables,
  settings: Settings,
): NodejsFunction {
  const { method, path, entry, tables: usedTables } = operations[name];
  const corsOrigin = settings['cors-origin'];
  const props = {
    entry,
    tables: usedTables,
    description: `${method} /${path}`,
    ...(corsOrigin && { environment: { [environment.corsOrigin]: corsOrigin } }),
  };
  const id = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return addStoreFunction(stack, id, props, tables, settings);
}
