/** What a store keeps, as `npm run yours` is told it. */
export interface Names {
  /** One of what the store keeps: `plant`, or `garden tool`. */
  name: string;
  plural: string;
  /** The names of four of them. */
  examples: readonly string[];
  /** A tag that an example has. */
  tag: string;
}

/** What this store keeps. A run of `npm run yours` changes it here too. */
export const names: Names = {
  name: 'plant',
  plural: 'plants',
  examples: ['Monstera', 'Aloe', 'Ficus', 'Fern'],
  tag: 'indoor',
};

/** Returns the names if all of them are given, or undefined. */
export function namesIn({ name, plural, examples, tag }: Partial<Names>): Names | undefined {
  if (name === undefined || plural === undefined || examples === undefined || tag === undefined) {
    return undefined;
  }
  return { name, plural, examples, tag };
}

const form = /^[A-Za-z]+(?:[ _-][A-Za-z]+)*$/;

/** Of DynamoDB. A table is named like the plural, and `npm start` uses that name alone. */
const minTableName = 3;

/** Returns what is wrong with names, each as a sentence that says what to do. */
export function faultsOf({ name, plural, examples, tag }: Names): string[] {
  const all = [name, plural, ...examples, tag];
  const faults = all
    .filter((one) => !form.test(one))
    .map((one) => `"${one}" is not a name. Use letters from A to Z, with "-", "_" or a space.`);
  if (/[ _]/.test(tag)) {
    faults.push(`"${tag}" is not a tag. Use one word.`);
  }
  if (plural.length < minTableName) {
    faults.push(`"${plural}" is too short. A table's name has ${minTableName} letters or more.`);
  }
  if (examples.length !== names.examples.length) {
    faults.push(`There are ${examples.length} examples. Name four: --examples Dune,Emma,Ulysses,V`);
  }
  const written = all.map((one) => wordsOf(one).join('').toLowerCase());
  const repeated = all.filter((_, i) => written.indexOf(written[i] ?? '') !== i);
  if (repeated.length > 0) {
    faults.push(
      `"${repeated.join('", "')}" is named twice. Each name must differ from the others.`,
    );
  }
  return faults;
}

/** Returns the words of a name, in small letters. */
export const wordsOf = (name: string): string[] => name.toLowerCase().split(/[ _-]/);
