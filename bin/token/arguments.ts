import { createInterface } from 'node:readline';
import { InvalidArgumentError } from 'commander';
import { tokenId } from '../../functions/access-tokens/token.ts';
import { tokenIdPattern } from '../../functions/shared/access-token.ts';
import { AdministrationError } from '../administration/administration-error.ts';

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

const idPattern = new RegExp(`^${tokenIdPattern}$`);

/** Returns the token id that an argument gives. `-` stands for a whole token on standard input. */
export async function idFrom(argument: string): Promise<string> {
  const id = argument === '-' ? tokenId(await firstLine(process.stdin)) : argument;
  if (id !== undefined && idPattern.test(id)) return id;
  // Do not quote the input, because it may be part of a token.
  throw new AdministrationError(
    argument === '-'
      ? 'Standard input holds no access token, or a mistyped one.'
      : 'That is not a token id. An id has 12 letters and digits, as "list" shows it.',
  );
}

async function firstLine(input: NodeJS.ReadStream): Promise<string> {
  for await (const line of createInterface({ input })) return line.trim();
  return '';
}
