import type { Command } from 'commander';
import { tokenIdPattern, tokenParts } from '../../functions/shared/access-token.ts';

const { prefix, secret, checksum } = tokenParts;

/**
 * Matches the start of an access token, or as many letters and digits in a row as a secret has,
 * because a pasted token may have lost its prefix.
 */
const secretPattern = new RegExp(
  `${prefix}${tokenIdPattern}_|` +
    `(?<![0-9A-Za-z])[0-9A-Za-z]{${secret},${secret + checksum}}(?![0-9A-Za-z])`,
);

export const mayHoldSecret = (text: string): boolean => secretPattern.test(text);

/** Ends the program with an error, which does not repeat the token, if an argument may hold one. */
export function refuseSecretArguments(program: Command, instead: string): void {
  if (process.argv.slice(2).some(mayHoldSecret))
    program.error(
      'error: An argument looks like an access token. Other users can see arguments, and npm ' +
        `writes them to its log files, so revoke that token by its id. ${instead}`,
    );
}
