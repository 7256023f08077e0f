import { buffer } from 'node:stream/consumers';
import { findTokenId } from '../../functions/access-tokens/token.ts';
import { accessTokenPattern, tokenIdPattern } from '../../functions/shared/token-form.ts';
import { CommandError } from '../command-line/command-error.ts';
import { readFirstLine } from './lines.ts';

/**
 * Returns the token id that an argument gives. `-` stands for a text with a whole token on standard
 * input. No error quotes the input, because it may be part of a token.
 */
export async function readTokenId(argument: string): Promise<string> {
  if (argument === '-') {
    return parseTokenId(await readInput());
  }
  if (!new RegExp(tokenIdPattern).test(argument)) {
    throw new CommandError(
      'This is not a token id. An id has 12 letters and digits. Run "list" to see the ids.',
    );
  }
  return argument;
}

/** Reads standard input, or a line of it if a person types there. */
async function readInput(): Promise<string> {
  if (process.stdin.isTTY) {
    return readFirstLine();
  }
  const bytes = await buffer(process.stdin);
  return new TextDecoder(chooseEncoding(bytes)).decode(bytes);
}

/** PowerShell 5.1 writes UTF-16 with a byte order mark. */
function chooseEncoding([first, second]: Buffer): 'utf-16le' | 'utf-16be' | 'utf-8' {
  if (first === 0xff && second === 0xfe) {
    return 'utf-16le';
  }
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/**
 * Returns the id of the one token in a text, like a file with an Authorization header. Throws a
 * CommandError if the text has none, or several.
 */
function parseTokenId(text: string): string {
  const words = text.match(new RegExp(`(?<!\\w)${accessTokenPattern}(?!\\w)`, 'g')) ?? [];
  const [token = '', ...others] = new Set(words);
  if (others.length > 0) {
    throw new CommandError(
      `Standard input has ${others.length + 1} access tokens. Give one of them, or its id in place ` +
        'of the -.',
    );
  }
  const id = findTokenId(token);
  if (id === undefined) {
    throw new CommandError(
      'Standard input has no access token, or a mistyped one. Give the whole token, or its id in ' +
        'place of the -.',
    );
  }
  return id;
}
