import { type Command, InvalidArgumentError } from 'commander';

/** Refuses options that npm took for its own because there was no "--" before them. */
export function refuseOptionsOfNpm(program: Command): void {
  const [, script] = / (\S+) --$/.exec(program.name()) ?? [];
  if (script !== process.env.npm_lifecycle_event) return;
  const options = [program, ...program.commands].flatMap(({ options }) => options);
  const taken = options
    .filter(({ long = '', argChoices }) => {
      const value = process.env[`npm_config_${long.slice(2).replaceAll('-', '_')}`];
      const isPassedOn = process.argv.some((arg) => arg.split('=')[0] === long);
      // npm has settings of its own, like a `scope` for packages, and "true" for a lost value.
      const isOurs = value === 'true' || !argChoices || argChoices.includes(`${value}`);
      return value !== undefined && isOurs && !isPassedOn;
    })
    .map(({ long }) => long);
  if (taken.length > 0)
    program.error(
      `error: npm took ${[...new Set(taken)].join(', ')} for its own. Repeat the command with ` +
        `"--" before its options: ${program.name()} …`,
    );
}

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
