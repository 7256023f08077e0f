import { InvalidArgumentError } from 'commander';

const secondsOf: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/**
 * Returns the seconds of a duration like `15m`, `12h` or `90d`. Throws commander's error, with the
 * hint, if the text is invalid or less than `least`.
 */
export function durationOf(text: string, least: number, hint: string): number {
  const [, count, unit = ''] = /^([0-9]{1,5})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * (secondsOf[unit] ?? Number.NaN);
  if (!(seconds >= least)) throw new InvalidArgumentError(hint);
  return seconds;
}
