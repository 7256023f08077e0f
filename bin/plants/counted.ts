import { nouns } from './nouns.ts';

/** Returns a number with its noun, like `1 plant` or `2 plants`. */
export const counted = (count: number, { one, many } = nouns.plants): string =>
  `${count} ${count === 1 ? one : many}`;
