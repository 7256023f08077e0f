import { InvalidArgumentError } from 'commander';
import type { Lifetime } from '../tokens/record.ts';

/** Parses the lifetime of a token, like `90d` or `never`. */
export function parseLifetime(text: string): Lifetime {
  if (text === 'never') {
    return text;
  }
  const seconds = findSeconds(text);
  if (!seconds) {
    throw new InvalidArgumentError('A lifetime looks like 15m, 12h or 90d, or is never.');
  }
  return seconds;
}

/** Parses how long a replaced token still works, like `1h`. Returns seconds. */
export function parseOverlap(text: string): number {
  const seconds = findSeconds(text);
  if (seconds === undefined) {
    throw new InvalidArgumentError('An overlap looks like 0s, 15m or 12h.');
  }
  return seconds;
}

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Returns the seconds of a duration like `15m`, or undefined for another text. */
function findSeconds(text: string): number | undefined {
  const [, count, unit = ''] = /^([0-9]{1,5})([smhd])$/.exec(text) ?? [];
  const seconds = unitSeconds[unit];
  return seconds === undefined ? undefined : Number(count) * seconds;
}
