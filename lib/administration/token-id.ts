import { findTokenId } from '../../functions/access-tokens/token.ts';
import { tokenIdPattern } from '../../functions/shared/token-form.ts';
import { CommandError } from '../command-line/command-error.ts';
import { readFirstLine } from './lines.ts';

/**
 * Returns the token id that an argument gives. `-` stands for a whole token on standard input. No
 * error quotes the input, because it may be part of a token.
 */
export async function readTokenId(argument: string): Promise<string> {
  if (argument === '-') {
    const id = findTokenId((await readFirstLine()).trim());
    if (id === undefined) {
      throw new CommandError(
        'Standard input has no access token, or a mistyped one. Give the whole token, or its id ' +
          'in place of the -.',
      );
    }
    return id;
  }
  if (!new RegExp(`^${tokenIdPattern}$`).test(argument)) {
    throw new CommandError(
      'This is not a token id. An id has 12 letters and digits. Run "list" to see the ids.',
    );
  }
  return argument;
}
