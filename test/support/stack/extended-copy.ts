import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Operation, operationNames } from '../../../functions/shared/operations.ts';
import { copyProject } from '../checkout.ts';
import { temporaryFolder } from '../cleanup.ts';

/** What is extended: each operation and the authorizer. */
export type Extended = Operation | 'authorizer';
export const extendedNames: Extended[] = [...operationNames, 'authorizer'];

/** The line that an extended function writes each time it is called. */
export const extendedLine = (name: Extended): string => `added to ${name}`;

/**
 * Makes a copy of the project in which each operation and the authorizer are extended. Each
 * call writes a line and fetches a name from `url`. The first one keeps what it fetches for later.
 * Returns the folder.
 */
export function extendedCopy(url: string): string {
  const folder = temporaryFolder();
  copyProject(folder);
  const files = readdirSync(join(folder, 'functions'), { recursive: true })
    .map((path) => join(folder, 'functions', `${path}`))
    .filter((path) => path.endsWith('.ts'));
  for (const name of extendedNames) {
    const declaration = new RegExp(`^export (const|function) ${name}\\b`, 'm');
    const file = files.find((path) => declaration.test(readFileSync(path, 'utf8')));
    if (!file) {
      throw new Error(`No file in functions/ exports ${name}.`);
    }
    const text = readFileSync(file, 'utf8').replace(declaration, `$1 own_${name}`);
    writeFileSync(file, text + addition(name, url));
  }
  return folder;
}

/** Each name is that of a function that returns what a request calls. */
const addition = (name: Extended, url: string): string => `
let kept: Promise<unknown> | undefined;
export const ${name} = ((given: never) => {
  const own = own_${name}(given) as (...request: unknown[]) => Promise<never>;
  return async (...request: unknown[]) => {
    console.info('${extendedLine(name)}');
    kept ??= fetch('${url}/kept');
    await Promise.all([kept, fetch('${url}/${name}')]);
    return own(...request);
  };
}) as typeof own_${name};
`;
