import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/checkout.ts';

export const readPage = (page: string): string => readFileSync(join(root, page), 'utf8');

/** Returns the rows of a page's table below its header, each as its cells. */
export function readTable(page: string, firstHeading: string): string[][] {
  const lines = readPage(page).split('\n');
  const header = lines.findIndex((line) => line.startsWith(`| ${firstHeading} |`));
  if (header < 0) {
    throw new Error(`${page} has no table that begins with ${firstHeading}.`);
  }
  const below = lines.slice(header + 2);
  const length = below.findIndex((line) => !line.startsWith('|'));
  return below
    .slice(0, length < 0 ? undefined : length)
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
}

/** Returns the anchors of a page's headings, as GitHub makes them. */
export const readHeadings = (page: string): string[] =>
  [...readPage(page).matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

/**
 * Returns the contents of the code blocks of Markdown in a language, like `sh`, or in a language
 * and with a mark, like `sh aws`: commands that need an AWS account.
 */
export const codeBlocks = (markdown: string, language: string): string[] =>
  [
    ...markdown.matchAll(new RegExp(`^( *)\`\`\`${language}(?: .+)?\n([^]*?)\n\\1\`\`\`$`, 'gm')),
  ].map(([, indentation = '', block = '']) =>
    block.replaceAll(`\n${indentation}`, '\n').trimStart(),
  );

/** Returns the commands of a shell block, each on one line. */
export const readCommands = (block: string): string[] =>
  block.replaceAll(/(?: \\|(?<= (?:\||&&)))\n +/g, ' ').split('\n');
