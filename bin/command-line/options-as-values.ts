import { type Command, InvalidArgumentError } from 'commander';

/** Refuses `--owner --localhost`, which commander takes for the owner `--localhost`. */
export function refuseOptionsAsValues(commands: readonly Command[]): void {
  for (const option of new Set(commands.flatMap(({ options }) => options))) {
    if (!option.required || option.variadic) continue;
    const parse = option.parseArg;
    option.argParser((text, previous) => {
      if (text.startsWith('--')) throw new InvalidArgumentError(`Put a value before ${text}.`);
      return parse ? parse(text, previous) : text;
    });
  }
}
