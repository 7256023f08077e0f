import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { entryOf } from '../../lib/bundle.ts';
import { copyProject } from '../support/checkout.ts';
import { temporaryFolder } from '../support/cleanup.ts';

const copy = temporaryFolder();
copyProject(copy);
const { synthesizeInThread }: typeof import('../../lib/offline/assembly.ts') = await import(
  join(copy, 'lib', 'offline', 'assembly.ts')
);

interface Change {
  file: string;
  from?: string;
  to: string;
}

/** Functions that do nothing, because to bundle the real ones takes half of a synthesis. */
const emptyFunctions = Object.fromEntries(
  Object.values(entryOf).map((entry) => [`functions/${entry}.ts`, 'export {};\n']),
);

/** Writes sources into the copy. Returns those that they replace. */
function replace(sources: Record<string, string>): Record<string, string> {
  const replaced: Record<string, string> = {};
  for (const [file, source] of Object.entries(sources)) {
    const path = join(copy, file);
    replaced[file] = readFileSync(path, 'utf8');
    writeFileSync(path, source);
  }
  return replaced;
}

/** Returns a changed source, and what is said of it. */
async function failureOf({ file, from, to }: Change): Promise<{ source: string; text: string }> {
  const original = readFileSync(join(copy, file), 'utf8');
  const inConstructor = '    const { settings, bundles } = props;\n';
  const source = from
    ? original.replace(from, () => to)
    : original.replace(inConstructor, () => `${inConstructor}    ${to}\n`);
  expect(source).not.toBe(original);
  const isOfFunction = file.startsWith('functions/');
  const replaced = replace({ ...(isOfFunction ? {} : emptyFunctions), [file]: source });
  try {
    await synthesizeInThread(join(temporaryFolder(), 'assembly'));
    return { source, text: 'nothing' };
  } catch (error) {
    return { source, text: (error as Error).message.replaceAll(copy, '…') };
  } finally {
    replace(replaced);
  }
}

const stack = 'lib/plant-store-stack.ts';
const api = 'lib/constructs/api.ts';
const tables = 'lib/constructs/tables.ts';
const output = "new CfnOutput(this, 'Added', { value: 'x' })";

interface Case {
  title: string;
  file: string;
  /** The text that is replaced: by default, a line in the constructor of the stack. */
  from?: string;
  to: string;
  /** The text that the failure is at. */
  at: string;
  message: string;
}

const cases: Case[] = [
  {
    title: 'a syntax error',
    file: stack,
    to: 'const = 3;',
    at: '= 3;',
    message: 'SyntaxError: Unexpected token `=`. Expected yield, an identifier, [ or {',
  },
  {
    title: 'an error that only V8 sees',
    file: api,
    from: 'export const stageName',
    to: 'const twice = 1;\nconst twice = 2;\nexport const stageName',
    at: 'twice = 2',
    message: "SyntaxError: Identifier 'twice' has already been declared",
  },
  {
    title: 'a syntax that Node does not strip',
    file: stack,
    from: 'export interface PlantStoreProps',
    to: 'enum Kind { A }\nexport interface PlantStoreProps',
    at: 'enum Kind',
    message: 'SyntaxError: TypeScript enum is not supported in strip-only mode',
  },
  {
    title: 'a missing file',
    file: stack,
    from: './constructs/tables.ts',
    to: './constructs/table.ts',
    at: "'./constructs/table.ts",
    message:
      "Cannot find module '…/lib/constructs/table.ts' imported from …/lib/plant-store-stack.ts",
  },
  {
    title: 'a missing package',
    file: api,
    from: "{ Construct } from 'constructs'",
    to: "{ Construct } from 'construct'",
    at: "'construct'",
    message: "Cannot find package 'construct' imported from …/lib/constructs/api.ts",
  },
  {
    title: 'a missing part of a package',
    file: api,
    from: 'aws-cdk-lib/aws-logs',
    to: 'aws-cdk-lib/aws-log',
    at: "'aws-cdk-lib/aws-log'",
    message: 'Package subpath \'./aws-log\' is not defined by "exports" in ',
  },
  {
    title: 'a module that Node does not have',
    file: stack,
    from: 'node:path',
    to: 'node:paths',
    at: "'node:paths'",
    message: 'No such built-in module: node:paths',
  },
  {
    title: 'a missing export',
    file: stack,
    from: '{ addDomain }',
    to: '{ addDomains }',
    at: 'addDomains }',
    message:
      "SyntaxError: The requested module './constructs/domain.ts' does not provide an export ",
  },
  {
    title: 'a throw',
    file: stack,
    to: "throw new TypeError('boom');",
    at: "new TypeError('boom')",
    message: 'TypeError: boom',
  },
  {
    title: 'a rejection that nothing handles',
    file: stack,
    to: "void Promise.reject(new RangeError('unheard'));",
    at: "new RangeError('unheard')",
    message: 'RangeError: unheard',
  },
  {
    title: 'a throw while a template is written',
    file: stack,
    to: `${output}.value = { resolve() { throw new Error('late'); } } as never;`,
    at: "new Error('late')",
    message: 'PlantStore/Added: late.',
  },
  {
    title: "a construct's refusal",
    file: stack,
    to: "new CfnOutput(this, 'Added', { value: undefined as never });",
    at: "new CfnOutput(this, 'Added'",
    message: 'MissingValueCloudFormationOutput: Missing value for CloudFormation output at path ',
  },
  {
    title: 'a name that is taken',
    file: stack,
    to: `${output};\n${output}.value = 'y';`,
    at: `${output}.value`,
    message: "There is already a Construct with name 'Added' in PlantStoreStack [PlantStore]",
  },
  {
    title: "a construct's validation",
    file: stack,
    to: `${output}.node.addValidation({ validate: () => ['is bad', 'is ugly'] });`,
    at: output,
    message: 'PlantStore/Added: is bad; is ugly',
  },
  {
    title: 'a validation that throws',
    file: stack,
    to: `this.node.addValidation({ validate: () => { throw new Error('odd'); } });`,
    at: "new Error('odd')",
    message: 'odd',
  },
  {
    title: "a validation of CDK's own construct",
    file: api,
    from: 'rest.root.resourceForPath(path).addMethod(method, integration, methodOptions);',
    to: '',
    at: "new RestApi(scope, 'Rest'",
    message: "PlantStore/RestApi/Rest: The REST API doesn't contain any methods",
  },
  {
    title: 'a property of a wrong type',
    file: tables,
    from: '    return made;',
    to: '    (made.node.defaultChild as any).replicas = 7;\n    return made;',
    at: 'new TableV2(',
    message:
      'PlantStore/Tables/Plants/Resource: Supplied properties not correct for ' +
      '"CfnGlobalTableProps"',
  },
  {
    title: 'a syntax error of a function',
    file: 'functions/list-plants.ts',
    from: 'export const',
    to: 'export cönst = /* ü */ const',
    at: 'cönst',
    message: 'Unexpected "cönst"',
  },
  {
    title: 'a missing import of a function',
    file: 'functions/list-plants.ts',
    from: './plants/plant.ts',
    to: './plants/plants.ts',
    at: "'./plants/plants.ts'",
    message: 'Could not resolve "./plants/plants.ts"',
  },
  {
    title: 'a fault in cdk.json',
    file: 'cdk.json',
    from: '"context": {',
    to: '"context": {{ ',
    at: '{ \n',
    message: 'Expected string in JSON but found "{"',
  },
];

test.each(cases)('$title is told with its place and its line', async ({ at, ...failure }) => {
  const said = await failureOf(failure);
  expect(said.text).toContain(failure.message);
  const before = said.source.slice(0, said.source.indexOf(at)).split('\n');
  const column = Number(before.at(-1)?.length) + 1;
  const line = said.source.split('\n')[before.length - 1];
  const place = `  at ${failure.file}:${before.length}:${column}`;
  const caret = `${line?.slice(0, column - 1)}`.replace(/\S/g, ' ');
  const first = `${place}\n\n    ${line}\n    ${caret}^\n`;
  expect(said.text.slice(said.text.indexOf('  at ')).slice(0, first.length)).toBe(first);
  expect(said.text).not.toMatch(/^ +at .*(node_modules|node:|lib\/offline)/m);
});

test.each([
  ['an exit', 'process.exit(0);', 'The process exited while the stack was synthesized. '],
  ['a thrown text', "throw 'boom' as never;", 'boom was thrown, which is no Error '],
])('%s is told although it has no place', async (_, to, message) => {
  expect((await failureOf({ file: stack, to })).text).toContain(message);
});

test.each([
  [
    'a bad value',
    '"context": { "plant-store:memory": "much",',
    'plant-store:memory must be an integer from 128 to 10240, not "much"',
  ],
  [
    'a place beside the context',
    '"plant-store:memory": 512, "context": {',
    'plant-store:memory must be under "context" in cdk.json',
  ],
])('a setting with %s is told in one line', async (_, to, fault) => {
  const { text } = await failureOf({ file: 'cdk.json', from: '"context": {', to });
  expect(text).toBe(`Bad settings: ${fault}.`);
});

test('a byte order mark of cdk.json, as editors on Windows write, is no fault', async () => {
  const { text } = await failureOf({ file: 'cdk.json', from: '{', to: '\uFEFF{' });
  expect(text).toBe('nothing');
});
