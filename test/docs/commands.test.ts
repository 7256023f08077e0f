import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '..', '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));

/** What CI and the tests run. */
const proofs = ['.ci', 'test']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  )
  .filter(
    (file) => statSync(join(root, file)).isFile() && file !== relative(root, import.meta.filename),
  )
  .map(read)
  .join('\n');

/** Commands of the documentation that CI or a test runs, and the words by which that is seen. */
const run: [command: RegExp, words: RegExp][] = [
  [/^npm ci && npm start$/, /bin\/local\.ts/],
  [/^npm ci && npm test$/, /npm ci\n[\s\S]*npm test\n/],
  [/^npx cdk (bootstrap|diff|destroy)$/, /cdk bootstrap\n[\s\S]*cdk diff [\s\S]*cdk destroy /],
  [/^npx cdk deploy( -c plant-store:[\w-]+=\S+)*$/, /deploy -c plant-store:/],
  [/^npm ci$/, /step 'npm ci' npm ci\n/],
  [/^npm run sam( |$)/, /npmRun\('sam'/],
  [
    /^(npx cdk synth|npm start --|echo|sed|sam local) |^TOKEN=/,
    /The commands of the page's section on SAM CLI alone/,
  ],
  [/^npm run smoke( -- --base-url \S+)?$/, /npm run -s smoke -- --base-url/],
  [
    /^npm run (-s )?token -- (issue|list|rotate|revoke)( |$)/,
    /token -- issue[\s\S]*rotate prints the new token/,
  ],
  [/^npm run plants -- (export|import|erase) --owner /, /plants program[\s\S]*'erase'/],
];

/** Commands that only an AWS account can run, and why no stand-in does. */
const needsAccount: [command: RegExp, reason: string][] = [
  [/^aws /, 'the AWS CLI is the reader’s; what these change is not in the stack'],
  [/^npx cdk (orphan|import) /, 'the stand-in takes no change sets that import'],
];

/** The lines of the fenced `sh` blocks of a page. */
const commandsOf = (page: string) =>
  [...read(page).matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  );

const commands = pages.flatMap((page) =>
  commandsOf(page).map((command): [string, string] => [page, command]),
);

test.each(commands)('%s: "%s" is run by CI, or needs an AWS account', (_, command) => {
  const runs = run.filter(([form]) => form.test(command));
  for (const [, words] of runs) expect(words.test(proofs)).toBe(true);
  expect([...runs, ...needsAccount.filter(([form]) => form.test(command))]).toHaveLength(1);
});

test('no command is listed that no page has', () => {
  const unused = [...run, ...needsAccount].filter(
    ([form]) => !commands.some(([, command]) => form.test(command)),
  );
  expect(unused).toEqual([]);
});

test.each(pages)('what %s links to is there', (page) => {
  for (const [, text = '', target = '', anchor] of read(page).matchAll(
    /\[([^\]]+)\]\(([^):#]*)(?:#([\w-]+))?\)/g,
  )) {
    const file = target === '' ? page : relative(root, join(root, page, '..', target));
    expect([file, existsSync(join(root, file))]).toEqual([file, true]);
    if (anchor) expect(headingsOf(file)).toContain(anchor);
    // A link to a test bears the words by which it is found there.
    if (file.endsWith('.test.ts') && text.includes(' ')) expect(read(file)).toContain(text);
  }
});

/** The anchors of a page's headings, as GitHub makes them. */
const headingsOf = (page: string) =>
  [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
