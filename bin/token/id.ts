import { createInterface } from 'node:readline';
import { tokenId } from '../../functions/access-tokens/token.ts';
import { tokenIdPattern } from '../../functions/shared/access-token.ts';
import { AdministrationError } from '../administration/administration-error.ts';

const pattern = new RegExp(`^${tokenIdPattern}$`);

/** Returns the token id that an argument gives. `-` stands for a whole token on standard input. */
export async function idFrom(argument: string): Promise<string> {
  const id = argument === '-' ? tokenId(await firstLine(process.stdin)) : argument;
  if (id !== undefined && pattern.test(id)) return id;
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
