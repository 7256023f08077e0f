/** The CPU time in µs of what a function did, and its memory. */
export interface Figures {
  /** Of loading it, with its first call. */
  start: number;
  /** Of the first call alone. */
  first: number;
  /** Of a later call. */
  warm: number;
  /** Peak memory in KB. */
  rss: number;
}

export interface Ratio {
  median: number;
  /** The middle half of the rounds' ratios lies between these. */
  from: number;
  to: number;
}

/** Returns the ratio of two tasks, paired round by round. */
export function ratio(
  figures: Map<string, Figures[]>,
  [ours, theirs]: [string, string],
  figure: keyof Figures,
): Ratio {
  const [a = [], b = []] = [figures.get(ours), figures.get(theirs)];
  const ratios = a.map((each, round) => each[figure] / (b[round]?.[figure] ?? Number.NaN));
  return quartiles(ratios);
}

export function quartiles(values: number[]): Ratio {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) => {
    const place = (sorted.length - 1) * part;
    const [below = Number.NaN, above = Number.NaN] = [
      sorted[Math.floor(place)],
      sorted[Math.ceil(place)],
    ];
    return below + (above - below) * (place - Math.floor(place));
  };
  return { median: at(0.5), from: at(0.25), to: at(0.75) };
}
