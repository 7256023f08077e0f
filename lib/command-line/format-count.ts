/** Returns a count with its noun, like `1 plant` or `2 plants`. */
export const formatCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
