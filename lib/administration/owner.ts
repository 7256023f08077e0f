import { InvalidArgumentError } from 'commander';
import { ownerPattern, ownerRule } from '../../functions/shared/token-form.ts';

/** Parses the value of `--owner`. */
export function parseOwner(text: string): string {
  if (!new RegExp(ownerPattern).test(text)) {
    throw new InvalidArgumentError(`An owner is ${ownerRule}`);
  }
  return text;
}
