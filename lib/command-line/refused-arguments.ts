import { existsSync, readFileSync } from 'node:fs';
import type { Command, Option } from 'commander';
import { tokenParts } from '../../functions/shared/token-form.ts';

const { prefix, id, secret, checksum } = tokenParts;

/**
 * Matches the start of an access token, or as many letters and digits in a row as a secret has. A
 * pasted token may have lost its prefix.
 */
const secretPattern = new RegExp(
  `${prefix}[0-9A-Za-z]{${id}}_|` +
    `(?<![0-9A-Za-z])[0-9A-Za-z]{${secret},${secret + checksum}}(?![0-9A-Za-z])`,
);

/** Rejects an argument that may contain an access token. The error does not repeat it. */
export function refuseSecretArguments(program: Command, instead: string): void {
  if (process.argv.slice(2).some((argument) => secretPattern.test(argument))) {
    program.error(
      'error: An argument looks like an access token. Other users can see arguments, and npm ' +
        `writes them to its log files, so revoke that token by its id. ${instead}`,
    );
  }
}

/** Rejects options that npm consumed because there was no "--" before them. */
export function refuseOptionsOfNpm(program: Command): void {
  const script = program.name().split(' ').at(-2);
  if (script !== process.env.npm_lifecycle_event) {
    return;
  }
  const taken = [program, ...program.commands]
    .flatMap(({ options }) => options)
    .filter(isTakenByNpm)
    .map(({ long }) => long);
  if (taken.length > 0) {
    program.error(
      `error: npm consumed ${[...new Set(taken)].join(', ')}. Put "--", with its quotes, before ` +
        `the options: ${program.name().replace('--', '"--"')} …`,
    );
  }
}

function isTakenByNpm(option: Option): boolean {
  const { long, argChoices } = option;
  const name = option.name();
  const value = process.env[`npm_config_${name.replaceAll('-', '_')}`];
  const isPassedOn = process.argv.some((arg) => arg.split('=')[0] === long);
  if (value === undefined || isPassedOn || isSetInFile(name)) {
    return false;
  }
  // npm has settings of its own, like `scope`, whose values are not among our choices. For an
  // option without its value, npm sets "true".
  return value === 'true' || !argChoices || argChoices.includes(value);
}

/** Returns whether one of npm's own files has a setting, so that nobody typed it. */
function isSetInFile(name: string): boolean {
  const { npm_config_userconfig: user, npm_config_globalconfig: global } = process.env;
  const setting = new RegExp(`^\\s*${name}\\s*(=|$)`, 'm');
  return [user, global, '.npmrc'].some(
    (file) => file && existsSync(file) && setting.test(readFileSync(file, 'utf8')),
  );
}

/** Rejects `--owner --localhost`, which commander reads as the owner `--localhost`. */
export function refuseOptionsAsValues(commands: readonly Command[]): void {
  for (const command of commands) {
    for (const option of command.options) {
      command.on(`option:${option.name()}`, (value?: string | null) => {
        if (value?.startsWith('--')) {
          command.error(
            `error: option '${option.flags}' argument '${value}' is invalid. Add a value before ` +
              `${value}.`,
          );
        }
      });
    }
  }
}
