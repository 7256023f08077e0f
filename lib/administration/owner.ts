import { InvalidArgumentError } from 'commander';
import { ownerPattern, ownerRule } from '../../functions/shared/token-form.ts';

export function parseOwner(text: string): string {
  if (!new RegExp(ownerPattern).test(text)) {
    throw new InvalidArgumentError(`An owner is ${ownerRule}`);
  }
  return text;
}
