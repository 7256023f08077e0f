/** A list of `page` of one's own plants, in a store with plants of others. */
export interface List {
  others: number;
  own: number;
  page: number;
  units: number;
  ms: number;
}

export interface Scale {
  /** Of whole lists in growing stores, then of smaller pages in the largest one. */
  lists: List[];
  /** What the heap changes by, from the tenth page to the last. */
  memory: { plants: number; growthMb: number };
}

/**
 * Returns how a list costs more than it should, or undefined. A list that depends on the store
 * would cost a hundred times as much in the largest one, so that a factor of two is enough to tell.
 */
export function scaleFault({ lists, memory }: Scale): string | undefined {
  const whole = lists.filter(({ page, own }) => page === own);
  const [first, last] = [whole[0], whole.at(-1)];
  if (!first || !last) return 'no list was measured';
  if (whole.some(({ units }) => units !== first.units) || last.ms > 2 * first.ms)
    return 'what a list costs depends on the plants of other owners';
  for (const { page, units, ms } of lists)
    if (last.units > (units * last.page) / page || last.ms > (2 * ms * last.page) / page)
      return 'what a list costs grows faster than its page';
  return memory.growthMb > 5 ? 'paging through a store uses more and more memory' : undefined;
}
