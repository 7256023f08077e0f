import { expect, test } from '@jest/globals';
import { intrinsics, type Scope } from '../../lib/offline/template/intrinsics.ts';
import {
  managedPolicies,
  type PropertyRule,
  type PropertyRules,
  supportedTypes,
} from '../../lib/offline/template/supported-types.ts';
import { headingsOf, readPage } from './page.ts';

const page = 'docs/imitates.md';
const { functions } = intrinsics('', {} as Scope);

/** Returns the properties of a kind of rule, with those of members after a dot. */
function propertiesOf(rules: PropertyRules, kind: PropertyRule['kind']): string[] {
  return Object.entries(rules).flatMap(([name, rule]) => {
    if (rule.kind === 'members') {
      return propertiesOf(rule.members, kind).map((member) => `${name}.${member}`);
    }
    if (rule.kind !== kind) {
      return [];
    }
    const values = rule.kind === 'value' && rule.says ? ` (${rule.says})` : '';
    return `${name.replace('*', '\\*')}${values}`;
  });
}
const cell = (...of: Parameters<typeof propertiesOf>) =>
  propertiesOf(...of)
    .sort()
    .join(', ');

/** The lists of the page, as the emulator's rules say them. */
const lists = Object.entries<PropertyRules>(supportedTypes).map(([type, rules]) => {
  const kinds = [
    ['Supported', cell(rules, 'value')],
    ['Ignored', cell(rules, 'ignored')],
    ['Left out', cell(rules, 'left out')],
  ];
  const lines = kinds.flatMap(([kind, names]) => (names ? `* ${kind}: ${names}.` : []));
  return `${type} ${lines.join(' ')}`;
});

test('the page has the lists of each type of resource that the emulator reads', () => {
  const [, ...sections] = readPage(page).split(/^### /m);
  expect(sections.map((section) => section.trim().replaceAll(/\s+/g, ' '))).toEqual(lists);
});

test.each([
  ['the intrinsic functions that are resolved', [...Object.keys(functions), 'Fn::If'].sort()],
  ["AWS's managed policies that are known", [...managedPolicies].sort()],
])('the page lists %s', (_, names) => {
  const list = names.map((name) => `\`${name}\``).join(', ');
  expect(readPage(page).replaceAll('\n', ' ')).toContain(`: ${list}.`);
});

test('the README and each refusal point to the page', () => {
  expect(readPage('README.md')).toContain(`](${page})`);
  expect(headingsOf(page)).toContain('calls-of-other-services');
});
