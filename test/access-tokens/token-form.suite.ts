import { expect, test } from '@jest/globals';
import * as form from '../../functions/shared/token-form.ts';
import { forge } from '../support/access-tokens/forge.ts';

const token = forge('Zk3v9QeXb2Lr');
/** A text that each pattern matches. */
const examples = {
  tokenIdPattern: { pattern: form.tokenIdPattern, example: 'Zk3v9QeXb2Lr' },
  // Secret scanners look for an access token within other text.
  accessTokenPattern: { pattern: `^${form.accessTokenPattern}$`, example: token },
  authorizationPattern: { pattern: form.authorizationPattern, example: `Bearer ${token}` },
  ownerPattern: { pattern: form.ownerPattern, example: 'a' },
};

test('each pattern has an example', () => {
  const patterns = Object.keys(form).filter((name) => name.endsWith('Pattern'));
  expect(Object.keys(examples).sort()).toEqual(patterns.sort());
});

/** Returns texts that differ from a text in one character, which is added, removed or replaced. */
function findNearMisses(text: string): string[] {
  const places = Array.from({ length: text.length + 1 }, (_, i) => i);
  const changed = places.flatMap((i) =>
    ['', '\n', '*', 'é'].flatMap((character) => [
      text.slice(0, i) + character + text.slice(i),
      text.slice(0, i) + character + text.slice(i + 1),
    ]),
  );
  return changed.filter((one) => one !== text);
}

test.each(Object.entries(examples))(
  '%s matches no text that differs in one character',
  (_, row) => {
    const pattern = new RegExp(row.pattern);
    expect(pattern.test(row.example)).toBe(true);
    expect(findNearMisses(row.example).filter((text) => pattern.test(text))).toEqual([]);
  },
);

test.each([
  [form.tokenIdPattern, `${examples.tokenIdPattern.example}x`],
  [form.authorizationPattern, `${examples.authorizationPattern.example}x`],
  [form.ownerPattern, 'a'.repeat(129)],
])('%s matches no longer text', (pattern, text) => {
  expect(new RegExp(pattern).test(text)).toBe(false);
});
