/** A DynamoDB command: its name, and its parameters as JSON. */
export type DatabaseCommand = { name: string; parameters: Record<string, unknown> };

/** A response of DynamoDB. A string is a body that is not JSON. */
export type DatabaseResponse = { status: number; body: Record<string, unknown> | string };

/** A response, or the code of a network error. */
export type Reply = DatabaseResponse | string;

const reads = ['GetItem', 'Query', 'Scan'];
const writes = ['PutItem', 'UpdateItem', 'DeleteItem'];
export const isRead = ({ name }: Pick<DatabaseCommand, 'name'>) => reads.includes(name);
export const isWrite = ({ name }: Pick<DatabaseCommand, 'name'>) => writes.includes(name);

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

/** A stored item, as DynamoDB writes it. */
export type Item = Record<string, { S?: string; N?: string; B?: string; L?: unknown[] }>;

/** The items of one table by their ids, in the order of a scan. Never changed, only replaced. */
export type Store = ReadonlyMap<string, Item>;

/** A table. A stale read sees it as it was before the last write. */
export interface Table {
  store: Store;
  previous: Store;
}

/** Maximum items of a page of a scan. */
const pageSize = 2;

export const makeStore = (items: Item[]): Store => {
  const entries = items.map((item) => [readId(item), item] as const);
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
};

const readId = (item: unknown): string => {
  const { id } = item as Item;
  return id?.S ?? id?.N ?? '';
};

/** Executes a command, limited to those of the plant store. */
export function execute(
  table: Table,
  { name, parameters }: DatabaseCommand,
  stale = false,
): { response: DatabaseResponse; table: Table } {
  const { store, previous } = table;
  const id = readId(parameters.Item ?? parameters.Key ?? {});
  const item = store.get(id);
  const seen = stale ? previous : store;
  const respond = (body: Record<string, unknown>) => ({ response: { status: 200, body }, table });

  function replace(next: Item | undefined, body: Record<string, unknown>) {
    const others = [...store.values()].filter((other) => other !== item);
    const replaced = makeStore(next ? [...others, next] : others);
    return { response: { status: 200, body }, table: { store: replaced, previous: store } };
  }

  if (!holds(parameters, item)) {
    const { ReturnValuesOnConditionCheckFailure: returned } = parameters;
    const stored = returned === 'ALL_OLD' && item ? { Item: item } : {};
    return { response: errorResponse(400, 'ConditionalCheckFailedException', stored), table };
  }
  switch (name) {
    case 'PutItem':
      return replace(parameters.Item as Item, {});
    case 'UpdateItem': {
      const updated = update(parameters, item);
      return replace(updated, { Attributes: updated });
    }
    case 'DeleteItem':
      return item ? replace(undefined, { Attributes: item }) : respond({});
    case 'GetItem':
      return respond({ Item: seen.get(id) });
    case 'Query':
      return respond(page([...seen.values()].map((one) => project(parameters, one))));
    case 'Scan':
      return respond(scan(parameters, seen));
    default:
      throw new Error(`The model does not support the command ${name}.`);
  }
}

/** Returns whether an item has what a command demands. */
function holds(
  { ConditionExpression, ...values }: DatabaseCommand['parameters'],
  item?: Item,
): boolean {
  const clauses = `${ConditionExpression ?? ''}`.split(' AND ').filter(Boolean);
  return clauses.every((clause) => {
    const alternatives = clause.replace(/^\((.*)\)$/, '$1').split(' OR ');
    return alternatives.some((test) => isTrue(test, item, values));
  });
}

function isTrue(
  test: string,
  item: Item | undefined,
  values: DatabaseCommand['parameters'],
): boolean {
  const [, not, attribute = ''] = /^attribute_(not_)?exists\(#?(\w+)\)$/.exec(test) ?? [];
  if (attribute) {
    return (item?.[attribute] === undefined) === (not !== undefined);
  }
  const [, compared = '', bound = ''] = /^(\w+) >= (:\w+)$/.exec(test) ?? [];
  if (!compared) {
    throw new Error(`The model does not support this condition: ${test}`);
  }
  return Number(item?.[compared]?.N) >= Number(readValue(values, bound)?.N);
}

/** Returns an item after an update, which creates a missing one. */
function update(
  { Key, UpdateExpression, ...values }: DatabaseCommand['parameters'],
  item?: Item,
): Item {
  const form = /^SET (\w+) = (?:(if_not_exists)\(\1, )?(:\w+)\)?$/;
  const [, attribute = '', ifMissing, value = ''] = form.exec(`${UpdateExpression}`) ?? [];
  if (!attribute) {
    throw new Error(`The model does not support this update: ${UpdateExpression}`);
  }
  const set = { [attribute]: readValue(values, value) as Item[string] };
  const old = item ?? (Key as Item);
  return ifMissing ? { ...set, ...old } : { ...old, ...set };
}

const readValue = (
  { ExpressionAttributeValues: values }: DatabaseCommand['parameters'],
  name: string,
) => (values as Item)[name];

function project(parameters: DatabaseCommand['parameters'], item: Item): Item {
  const names = parameters.ExpressionAttributeNames as Record<string, string | undefined>;
  const projected = `${parameters.ProjectionExpression}`
    .split(', ')
    .map((one) => names[one] ?? one);
  return Object.fromEntries(Object.entries(item).filter(([name]) => projected.includes(name)));
}

/** Returns the items after the start key. */
function scan({ ExclusiveStartKey: start }: DatabaseCommand['parameters'], seen: Store) {
  const after = start ? readId(start) : '';
  const left = [...seen].filter(([id]) => id > after);
  const [last] = left.length > pageSize ? (left[pageSize - 1] ?? []) : [];
  const items = left.slice(0, pageSize).map(([, item]) => item);
  return { ...page(items), ...(last && { LastEvaluatedKey: { id: { S: last } } }) };
}

const page = (Items: Item[]) => ({ Items, Count: Items.length, ScannedCount: Items.length });
