import { expect, test } from '@jest/globals';
import * as form from '../../functions/shared/token-form.ts';
import { forge } from '../support/access-tokens/forge.ts';

const token = forge('Zk3v9QeXb2Lr');

/** Returns texts that differ from a text in one character. */
function findNearMisses(text: string): string[] {
  const places = Array.from({ length: text.length + 1 }, (_, i) => i);
  const changed = places.flatMap((i) => [
    `${text.slice(0, i)}0${text.slice(i)}`,
    ...['', '\n', '-', '_', 'é'].map(
      (character) => text.slice(0, i) + character + text.slice(i + 1),
    ),
  ]);
  return changed.filter((one) => one !== text);
}

test.each([
  [form.tokenIdPattern, 'Zk3v9QeXb2Lr'],
  // Secret scanners look for an access token within other text.
  [`^${form.accessTokenPattern}$`, token],
  [form.authorizationPattern, `Bearer ${token}`],
])('%s matches its example, and no text that differs in one character', (source, example) => {
  const pattern = new RegExp(source);
  expect(pattern.test(example)).toBe(true);
  expect(findNearMisses(example).filter((text) => pattern.test(text))).toEqual([]);
});
