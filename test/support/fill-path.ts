const parameter = /\{(\w+)\}/g;

/** Returns the path of an operation with a value in place of each of its parameters. */
export const fillPath = (path: string, value: string): string =>
  path.replaceAll(parameter, () => value);

/** Returns the parameters of a path, which all have the value, or undefined if it has none. */
export function parametersOf(path: string, value: string): Record<string, string> | undefined {
  const names = [...path.matchAll(parameter)].map(([, name]) => `${name}`);
  return names.length > 0 ? Object.fromEntries(names.map((name) => [name, value])) : undefined;
}
