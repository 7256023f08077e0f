// Templates as a person reads them: YAML with CloudFormation's short functions.

type Json = ReturnType<typeof JSON.parse>;

/** Maximum characters of a list or object, and of JSON in a text, that stay in one line. */
const maxLine = 90;
const maxJson = 300;

/** Returns a value as lines of YAML. */
export function toYaml(value: Json): string[] {
  const line = formatInline(value);
  if (line !== undefined && (!Array.isArray(value) || line.length <= maxLine)) {
    return [line];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item) =>
      (findFlow(item) ?? toYaml(item)).map((each, index) => `${index === 0 ? '- ' : '  '}${each}`),
    );
  }
  return Object.entries(value).flatMap(([key, member]) => {
    const shown = findLongJson(member) ?? member;
    const lines = toYaml(shown);
    return lines.length === 1 && lines[0] === formatInline(shown)
      ? [`${key}: ${lines[0]}`]
      : [`${key}:${shown === member ? '' : ' !Json'}`, ...lines.map((each) => `  ${each}`)];
  });
}

/** Returns an object in one line, if it is short. */
function findFlow(value: Json): string[] | undefined {
  const members = Object.entries(value).map(([key, member]) => [key, formatInline(member)]);
  const line = `{ ${members.map(([key, inline]) => `${key}: ${inline}`).join(', ')} }`;
  const isFlat = members.every(([, inline]) => inline !== undefined);
  return isFlat && line.length <= maxLine && formatInline(value) === undefined ? [line] : undefined;
}

/** Returns a value in one line, or undefined if it includes an object that is no function. */
function formatInline(value: Json): string | undefined {
  if (typeof value === 'string') {
    return quote(value);
  }
  if (Array.isArray(value)) {
    const items = value.map(formatInline);
    return items.includes(undefined) ? undefined : `[${items.join(', ')}]`;
  }
  if (typeof value !== 'object' || Object.keys(value).length === 0) {
    return JSON.stringify(value);
  }
  const [[name, content]] = Object.entries<Json>(value) as [[string, Json]];
  switch (name) {
    case 'Fn::GetAtt':
      return `!GetAtt ${[content].flat().join('.')}`;
    case 'Fn::Join':
      return `!Sub ${quote(joinText(content))}`;
    case 'Ref':
    case 'Fn::Sub':
    case 'Fn::Select':
    case 'Fn::Split': {
      const inline = formatInline(content);
      return inline && `!${name.replace('Fn::', '')} ${inline}`;
    }
    default:
      return;
  }
}

/** Returns the text of a join, with references as `!Sub` has them. */
export const joinText = ([separator, parts]: [string, Json[]]): string =>
  parts
    .map((part) =>
      typeof part === 'string'
        ? part.replaceAll('${', '${!')
        : `\${${formatInline(part)?.replace(/^!(Ref|GetAtt) /, '')}}`,
    )
    .join(separator);

/** Returns the object in a long text of JSON, if the value is one. */
function findLongJson(value: Json): Json {
  const text = value?.['Fn::Join'] ? joinText(value['Fn::Join']) : value;
  return typeof text === 'string' && text.startsWith('{"') && text.length > maxJson
    ? JSON.parse(text)
    : undefined;
}

/** Quotes text that YAML would read as something else. */
function quote(text: string): string {
  if (/^[\w/.-]/.test(text) && !/: | #|,|[:\n]$|^[\d.]+$|^(true|false|null)$/.test(text)) {
    return text;
  }
  return text.includes("'") && !/["\\]/.test(text)
    ? `"${text}"`
    : `'${text.replaceAll("'", "''")}'`;
}

/** Returns the members of an object that differ from a base. A removed member is `removed`. */
export function findChanges(value: Json, base: Json): Json {
  const isObject = (member: Json) =>
    typeof member === 'object' && !Array.isArray(member) && formatInline(member) === undefined;
  const changes = Object.keys({ ...base, ...value })
    .filter((key) => JSON.stringify(value[key]) !== JSON.stringify(base[key]))
    .map((key) => {
      const [after, before] = [value[key], base[key]];
      const isNested = isObject(after) && isObject(before);
      return [key, isNested ? findChanges(after, before) : (after ?? 'removed')];
    });
  return Object.fromEntries(changes);
}
