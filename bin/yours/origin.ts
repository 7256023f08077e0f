import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Choices } from './make.ts';
import { type Names, namesIn } from './names.ts';

/** What package.json says of a copy, as `yours`. */
export interface Origin extends Partial<Names> {
  /** The tree of the original that the copy was made from, or upgraded to. */
  tree?: string;
  /** The parts that it leaves out. A copy without this has not been made anybody's. */
  without?: string[];
}

/** A package.json. */
export type Package = Record<string, unknown> & { yours?: Origin };

export const readPackage = (folder: string): Package =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

export const writePackage = (folder: string, content: Package): void =>
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(content, null, 2)}\n`);

/** Returns the choices that package.json has. */
export const choicesOf = (origin: Origin): Choices => ({
  names: namesIn(origin),
  without: origin.without ?? [],
});
