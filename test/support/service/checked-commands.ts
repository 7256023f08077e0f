import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { authorizer, operations } from '../../../functions/shared/operations.ts';
import { type TableName, tableIds, tableKeys } from '../../../functions/shared/table-schema.ts';

// Node loads this module into the thread of the functions. A command that breaks a rule of all
// commands fails, so that its call returns 500.

/** The tables of the commands of each call, by its abort signal. */
const used = new WeakMap<AbortSignal, string[]>();
const maxCommands = 10;

/** The tables in the row of each function. */
const rows = Object.values({ ...operations, authorizer }).map(({ tables }): string[] =>
  Object.keys(tables).map((name) => tableIds[name as TableName]),
);

interface SdkCommand {
  constructor: { name: string };
  input: {
    TableName: string;
    ConsistentRead?: boolean;
    ConditionExpression?: string;
    ExpressionAttributeNames?: Record<string, string>;
  };
}

const keys = Object.values(tableKeys).flatMap(({ partition, sort }) => [partition, sort]);

/** Whether a condition is about an attribute that an item may lack. Each item has its key. */
function dependsOnMembers(input: SdkCommand['input']): boolean {
  const { ConditionExpression = '', ExpressionAttributeNames = {} } = input;
  const found = ConditionExpression.matchAll(/attribute_(?:not_)?exists\((.+?)\)/g);
  const names = Array.from(found, ([, name = '']) => ExpressionAttributeNames[name] ?? name);
  return names.some((name) => !keys.includes(name));
}

function findError({ constructor: { name }, input }: SdkCommand, abortSignal?: AbortSignal) {
  if (!abortSignal) {
    return 'has no abort signal';
  }
  const tables = [...(used.get(abortSignal) ?? []), input.TableName];
  used.set(abortSignal, tables);
  if (tables.length > maxCommands) {
    return `is command ${tables.length} of its call`;
  }
  const isOfOneRow = rows.some((names) => tables.every((table) => names.includes(table)));
  if (!isOfOneRow) {
    return `uses ${input.TableName}, which the row of its function does not have`;
  }
  if (dependsOnMembers(input)) {
    return 'asks for an attribute that an item may lack';
  }
  const isRead = /^(?:Get|Query|Scan|BatchGet)/.test(name);
  return isRead && input.ConsistentRead !== true ? 'is a read that may be stale' : undefined;
}

const { send } = DynamoDBDocumentClient.prototype as unknown as {
  send: (command: SdkCommand, options?: { abortSignal?: AbortSignal }) => Promise<unknown>;
};
Object.assign(DynamoDBDocumentClient.prototype, {
  async send(...args: Parameters<typeof send>) {
    const [command, options] = args;
    const error = findError(command, options?.abortSignal);
    if (error) {
      throw new Error(`This ${command.constructor.name} ${error}.`);
    }
    return await send.apply(this, args);
  },
});
