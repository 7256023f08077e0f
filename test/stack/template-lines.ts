// Templates as lines with paths, so that each line of a diff says what has changed.

type Json = ReturnType<typeof JSON.parse>;

/** Returns a reference as `!Sub` has it, or undefined for other values. */
const findReference = (value: Json): string | undefined => {
  const name = value.Ref ?? value['Fn::GetAtt'];
  return name && `\${${[name].flat().join('.')}}`;
};

/** Returns the text of a join, with its references. */
export const joinText = ([separator, parts]: [string, Json[]]): string =>
  parts
    .map((part) =>
      typeof part === 'string' ? part : (findReference(part) ?? JSON.stringify(part)),
    )
    .join(separator);

/** Returns each text, number, boolean and reference of a template with its path. */
export function toLines(value: Json, path = ''): string[] {
  const reference = findReference(value);
  const text = value['Fn::Join'] ? joinText(value['Fn::Join']) : value;
  const isJson = typeof text === 'string' && text.startsWith('{"');
  const content = isJson ? JSON.parse(text) : text;
  if (reference || typeof content !== 'object' || Object.keys(content).length === 0) {
    return [`${path}: ${reference ?? JSON.stringify(content)}`];
  }
  return Object.entries(content).flatMap(([key, member]) => {
    // A text that is inserted into a list changes no other line.
    const index = typeof member === 'string' ? '' : key;
    return toLines(member, Array.isArray(content) ? `${path}[${index}]` : `${path}.${key}`);
  });
}
