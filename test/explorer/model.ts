/** A DynamoDB command: its name, and its parameters as JSON. */
export interface Command {
  name: string;
  parameters: Record<string, unknown>;
}

/** What a client gets to see. A string is a body that is not JSON. */
export interface Answer {
  status: number;
  body: Record<string, unknown> | string;
}

type Item = Record<string, Record<string, unknown>>;

export const isWrite = ({ name }: Command) => !['GetItem', 'Query'].includes(name);

export const refusal = (status: number, type: string): Answer => ({
  status,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'from the model' },
});

/**
 * Models the one item under a key, as far as the plant store uses it. It refuses what it does not
 * know.
 */
export function itemModel(initial?: Item) {
  let item = initial;
  let previous = initial;

  /** Answers a command. Only a consistent read cannot be stale. */
  function answer({ name, parameters }: Command, stale = false): Answer {
    const { ConditionExpression: condition, ProjectionExpression: projection } = parameters;
    const names = (parameters.ExpressionAttributeNames ?? {}) as Record<string, string>;
    if (condition && (name !== 'PutItem' || condition !== 'attribute_not_exists(#id)'))
      throw new Error(`The model does not know this condition: ${condition}`);
    if (condition && item) return refusal(400, 'ConditionalCheckFailedException');
    const found = stale ? previous : item;
    if (isWrite({ name, parameters })) {
      previous = item;
      item = name === 'PutItem' ? (parameters.Item as Item) : undefined;
    }
    if (name === 'PutItem') return { status: 200, body: {} };
    if (name === 'DeleteItem') return { status: 200, body: found ? { Attributes: found } : {} };
    if (name === 'GetItem') return { status: 200, body: found ? { Item: found } : {} };
    if (name !== 'Query') throw new Error(`The model does not know the command ${name}.`);
    const shown = `${projection}`.split(', ').map((alias) => names[alias]);
    const seen = Object.entries(found ?? {}).filter(([attribute]) => shown.includes(attribute));
    const Items = found ? [Object.fromEntries(seen)] : [];
    return { status: 200, body: { Items, Count: Items.length, ScannedCount: Items.length } };
  }
  return { answer, name: () => item?.name?.S as string | undefined };
}
