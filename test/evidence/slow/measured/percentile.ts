/** Returns the value that a part of the values (0 to 1) does not exceed. Without values it is 0. */
export const percentile = (values: number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? 0;
