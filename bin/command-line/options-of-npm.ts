import type { Command } from 'commander';

/** Refuses options that npm took for its own because there was no "--" before them. */
export function refuseOptionsOfNpm(program: Command): void {
  const [, script] = / (\S+) --$/.exec(program.name()) ?? [];
  if (script !== process.env.npm_lifecycle_event) return;
  const args = process.argv.slice(2);
  const all = [program, ...program.commands].flatMap(({ options }) => options);
  const taken = [...new Map(all.map((option) => [option.long, option])).values()]
    .map(({ long = '', required }) => ({ long, required }))
    // npm has a setting `scope`, which may be in its configuration.
    .filter(({ long }) => !args.includes(long) && long !== '--scope')
    .map((option) => ({
      ...option,
      value: process.env[`npm_config_${option.long.slice(2).replaceAll('-', '_')}`],
    }))
    .filter(({ value }) => value !== undefined);
  if (taken.length === 0) return;
  // npm passes on the value of an option that it does not know as an argument.
  const valueless = taken.filter(({ required, value }) => required && value === 'true');
  const values = valueless.length > 0 ? args.splice(-valueless.length) : [];
  const typed = taken.map(({ long, required, value }) => {
    if (!required) return long;
    return `${long} ${(value === 'true' ? values.shift() : value) ?? '…'}`;
  });
  program.error(
    'error: npm took these options for its own. Type "--" before them: ' +
      [program.name(), ...args, ...typed].join(' '),
  );
}
