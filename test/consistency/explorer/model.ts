/** A DynamoDB command: its name, and its parameters as JSON. */
export type Command = { name: string; parameters: Record<string, unknown> };

/** What a client gets to see. A string is a body that is not JSON. */
export type Answer = { status: number; body: Record<string, unknown> | string };

/** An answer, or the code of a network error. */
export type Reply = Answer | string;

export const isWrite = ({ name }: Command) => !['GetItem', 'Query'].includes(name);

export const refusal = (status: number, type: string): Answer => ({
  status,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'from the model' },
});

/** The one item under a key, as far as the plant store uses it. */
export interface Model {
  /** Answers a command. A stale read does not see the last write. */
  answer(command: Command, stale?: boolean): Answer;
  /** Returns the name of the plant, or undefined if there is none. */
  plant(): string | undefined;
}

/** Makes a model, with an item or without one. */
export function itemModel(item?: Record<string, { S?: string; N?: string }>): Model {
  let previous = item;

  function answer({ name, parameters }: Command, stale = false): Answer {
    const { ConditionExpression: condition } = parameters;
    if (condition && !/^attribute_not_exists\(#?id\)$/.test(`${condition}`)) {
      throw new Error(`The model does not know this condition: ${condition}`);
    }
    if (condition && item) {
      return refusal(400, 'ConditionalCheckFailedException');
    }
    const found = stale ? previous : item;
    if (isWrite({ name, parameters })) {
      previous = item;
      item = name === 'PutItem' ? (parameters.Item as typeof item) : undefined;
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
      throw new Error(`The model does not know the command ${name}.`);
    }
    const names = parameters.ExpressionAttributeNames as Record<string, string | undefined>;
    const shown = `${parameters.ProjectionExpression}`.split(', ').map((one) => names[one] ?? one);
    const seen = Object.entries(found ?? {}).filter(([attribute]) => shown.includes(attribute));
    const Items = found ? [Object.fromEntries(seen)] : [];
    return { status: 200, body: { Items, Count: Items.length, ScannedCount: Items.length } };
  }
  return { answer, plant: () => item?.name?.S };
}
