/** Returns a number with its noun, like `1 plant` or `2 plants`. */
export const counted = (count: number, many = 'plants', one = 'plant'): string =>
  `${count} ${count === 1 ? one : many}`;
