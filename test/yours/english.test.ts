import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { faultsOf, type Names } from '../../bin/yours/names.ts';
import { articleOf, renamed, renamedPath } from '../../bin/yours/rename.ts';
import { root } from '../support/checkout.ts';

const invoices: Names = {
  name: 'invoice',
  plural: 'invoices',
  examples: ['April', 'May', 'June', 'July'],
  tag: 'unpaid',
};
const tools: Names = {
  name: 'garden tool',
  plural: 'garden tools',
  examples: ['Spade', 'Garden Rake', 'Hoe', 'Axe'],
  tag: 'sharp',
};
const people: Names = { ...invoices, name: 'person', plural: 'people' };

test.each([
  {
    before: "throw 'There is no plant with this id.'",
    after: "throw 'There is no garden tool with this id.'",
  },
  { before: 'const plant = plants[0];', after: 'const gardenTool = gardenTools[0];' },
  {
    before: "createPlant(PLANT_CREATED, plant_id, 'plants')",
    after: "createGardenTool(GARDEN_TOOL_CREATED, garden_tool_id, 'gardenTools')",
  },
  {
    before: "'plant-store:budget' // The plant's name. Plants grow.",
    after: "'garden-tool-store:budget' // The garden tool's name. Garden tools grow.",
  },
  {
    before: "'plants:read plants.jsonl' // `plants` of a plant",
    after: "'gardenTools:read gardenTools.jsonl' // `gardenTools` of a garden tool",
  },
  { before: "'npm run plants -- erase'", after: "'npm run gardenTools -- erase'" },
  { before: "'Plant Store: create'", after: "'Garden Tool Store: create'" },
  { before: "aloe.name === 'Aloe'", after: "gardenRake.name === 'Garden Rake'" },
  { before: 'eggplant, planted, PLANTED, implant', after: 'eggplant, planted, PLANTED, implant' },
  { before: "/\\bplants\\b/ 'pst_'", after: "/\\bgardenTools\\b/ 'gst_'" },
])('code says $after', ({ before, after }) => {
  expect(renamed('a.ts', before, tools)).toBe(after);
});

test.each([
  { before: 'Takes a plant.', after: 'Takes an invoice.' },
  {
    before: 'A `plant`, a *plant* and a new plant.',
    after: 'An `invoice`, an *invoice* and a new invoice.',
  },
  { before: 'An Aloe is an indoor plant.', after: 'A May is an unpaid invoice.' },
  {
    before: 'List [plants](functions/plants/plant.ts).',
    after: 'List [invoices](functions/invoices/invoice.ts).',
  },
])('a page says $after', ({ before, after }) => {
  expect(renamed('README.md', before, invoices)).toBe(after);
});

test('a template is a sentence, and its values are code', () => {
  const before = `\`a plant \${plant.id}/plants\``;
  const after = `\`a garden tool \${gardenTool.id}/gardenTools\``;
  expect(renamed('a.ts', before, tools)).toBe(after);
});

test('the nouns of texts that programs compose are words', () => {
  const before = "plants: { one: 'plant', many: 'plants' }, table: 'plants'";
  expect(renamed('functions/shared/table-schema.ts', before, tools)).toBe(
    "gardenTools: { one: 'garden tool', many: 'garden tools' }, table: 'gardenTools'",
  );
  const nouns = readFileSync(join(root, 'functions/shared/table-schema.ts'), 'utf8');
  const other = renamed('functions/shared/table-schema.ts', nouns, tools);
  expect(other).toContain("{ one: 'garden tool', many: 'garden tools' }");
});

test('within a sentence, a name with a capital is the name of the table', () => {
  const before = "'may not Query Plants. Plants: the emulator'; ['Plants', 'Plants have leaves.']";
  expect(renamed('a.ts', before, tools)).toBe(
    "'may not Query GardenTools. GardenTools: the emulator'; " +
      "['GardenTools', 'Garden tools have leaves.']",
  );
  expect(renamed('a.md', 'Plants are in the table Plants.', tools)).toBe(
    'Garden tools are in the table GardenTools.',
  );
});

test('an article meets its noun across the lines of a comment', () => {
  expect(renamed('a.ts', '/**\n * Makes a\n * plant.\n */', invoices)).toBe(
    '/**\n * Makes an\n * invoice.\n */',
  );
});

test('the plural is as it was given', () => {
  expect(renamed('a.md', 'plants, a plant, Plants, PLANTS', people)).toBe(
    'people, a person, People, PEOPLE',
  );
});

test('files are named like what they say', () => {
  expect(renamedPath('functions/plants/create-plant.ts', tools)).toBe(
    'functions/gardenTools/create-garden-tool.ts',
  );
});

test.each([
  ['a', ['book', 'user', 'unit', 'university', 'European', 'one', 'uniform']],
  ['an', ['invoice', 'order', 'hour', 'unpaid', 'uninvited', 'umbrella', 'heir']],
] as const)('"%s" goes before %j', (article, nouns) => {
  expect(nouns.filter((noun) => articleOf(noun) !== article)).toEqual([]);
});

test.each([
  ['../../evil', 'is not a name'],
  ['', 'is not a name'],
  ["o'clock", 'is not a name'],
  ['käse', 'is not a name'],
  ['book2', 'is not a name'],
  ['invoices', 'is named twice'],
])('the noun "%s" is refused: it %s', (name, fault) => {
  expect(faultsOf({ ...invoices, name }).join('\n')).toContain(fault);
});

test('three examples are refused', () => {
  expect(faultsOf({ ...invoices, examples: ['A', 'B', 'C'] }).join('\n')).toContain('Name four');
});
