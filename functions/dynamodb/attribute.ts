/** Returns a stored value as DynamoDB sends it. */
export function attributeOf(value: unknown): object {
  if (value === null) {
    return { NULL: true };
  }
  if (Array.isArray(value)) {
    return { L: value.map(attributeOf) };
  }
  if (typeof value === 'string') {
    return { S: value };
  }
  return typeof value === 'boolean' ? { BOOL: value } : { N: `${value}` };
}
