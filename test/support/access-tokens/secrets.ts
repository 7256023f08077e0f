import { splitToken } from './parts.ts';

/**
 * Returns parts of a token's secret and checksum, in plain text and in base64. Any 21 of the 49
 * characters in a row contain one of the parts.
 */
function listParts(token: string): string[] {
  const parts = splitToken(token).secret.match(/.{11}/g) ?? [];
  const base64 = parts.flatMap((part) =>
    // The characters depend on the number of bytes before the part, modulo 3. The first and the
    // last group of four may hold neighboring bytes.
    [0, 1, 2].map((before) => {
      const groups = Buffer.from(' '.repeat(before) + part).toString('base64');
      return groups.slice(before === 0 ? 0 : 4, -4);
    }),
  );
  return [...parts, ...base64];
}

/** Returns each token's id with the text that contains half of its secret or more. */
export function findSecrets(texts: string[], tokens: string[]): string[] {
  const all = texts.join('\n');
  return tokens.flatMap((token) => {
    const leak = listParts(token).find((part) => all.includes(part));
    return leak === undefined
      ? []
      : `${splitToken(token).id} in ${texts.find((text) => text.includes(leak))}`;
  });
}
