/** A DynamoDB command: its name, and its parameters as JSON. */
export type Command = { name: string; parameters: Record<string, unknown> };

/** A response of DynamoDB. A string is a body that is not JSON. */
export type DatabaseResponse = { status: number; body: Record<string, unknown> | string };

/** A response, or the code of a network error. */
export type Reply = DatabaseResponse | string;

export const isWrite = ({ name }: Command) => !['GetItem', 'Query'].includes(name);

export const errorResponse = (
  status: number,
  type: string,
  members: object = {},
): DatabaseResponse => ({
  status,
  body: {
    __type: `com.amazonaws.dynamodb.v20120810#${type}`,
    message: 'from the model',
    ...members,
  },
});

/** A stored plant, as DynamoDB writes it. */
export type Item = Record<string, { S?: string; N?: string }>;

/** A table with one key, limited to the commands of the plant store. */
export interface Model {
  /** Executes a command. A stale read does not see the last write. */
  execute(command: Command, stale?: boolean): DatabaseResponse;
  /** Returns the name of the plant, or undefined if there is none. */
  plant(): string | undefined;
  item(): Item | undefined;
}

export function itemModel(item?: Item): Model {
  let previous = item;

  function execute({ name, parameters }: Command, stale = false): DatabaseResponse {
    const { ConditionExpression: condition, ReturnValuesOnConditionCheckFailure } = parameters;
    if (condition && !/^attribute_not_exists\(#?id\)$/.test(`${condition}`)) {
      throw new Error(`The model does not support this condition: ${condition}`);
    }
    if (condition && item) {
      const stored = ReturnValuesOnConditionCheckFailure === 'ALL_OLD' ? { Item: item } : {};
      return errorResponse(400, 'ConditionalCheckFailedException', stored);
    }
    const found = stale ? previous : item;
    if (isWrite({ name, parameters })) {
      previous = item;
      item = name === 'PutItem' ? (parameters.Item as Item) : undefined;
    }
    if (name === 'PutItem') {
      return { status: 200, body: {} };
    }
    if (name === 'DeleteItem') {
      return { status: 200, body: { Attributes: found } };
    }
    if (name === 'GetItem') {
      return { status: 200, body: { Item: found } };
    }
    if (name !== 'Query') {
      throw new Error(`The model does not support the command ${name}.`);
    }
    const names = parameters.ExpressionAttributeNames as Record<string, string | undefined>;
    const projected = `${parameters.ProjectionExpression}`
      .split(', ')
      .map((one) => names[one] ?? one);
    const visible = Object.entries(found ?? {}).filter(([attribute]) =>
      projected.includes(attribute),
    );
    const Items = found ? [Object.fromEntries(visible)] : [];
    return { status: 200, body: { Items, Count: Items.length, ScannedCount: Items.length } };
  }
  return { execute, plant: () => item?.name?.S, item: () => item };
}
