import type { Ended } from '../program.ts';

// What the programs print.

/** Returns the result of a command that fails with one line. */
export const failure = (line: string): Ended => ({ code: 1, stdout: '', stderr: `${line}\n` });

/** Returns the result of a command that prints one line for people. */
export const success = (line: string): Ended => ({ code: 0, stdout: '', stderr: `${line}\n` });

/**
 * Returns the output of a command with names in place of what differs from run to run: TOKEN, ID
 * and TIME in the output of `issue` and `rotate`, and the given values by their names.
 */
export function mask({ code, ...text }: Ended, values: Record<string, string> = {}): Ended {
  let stdout = text.stdout.replace(/^pst_\w{62}$/m, 'TOKEN');
  let { stderr } = text;
  for (const [name, value] of Object.entries(values)) {
    stdout = stdout.replaceAll(value, name);
    stderr = stderr.replaceAll(value, name);
  }
  stderr = stderr.replace(/^\w{12}: /m, 'ID: ').replace(/20..-..-..T..:..:..Z/, 'TIME');
  return { code, stdout, stderr };
}

/**
 * Returns the output of `npm start` or `npm run sam` with PORT, DATABASE_PORT and TOKEN in place of
 * what differs.
 */
export function maskStart({ code, stdout, stderr }: Ended): Ended {
  const replace = (text: string) =>
    text
      .replace(/^(DynamoDB: .*):\d+ /m, '$1:DATABASE_PORT ')
      .replaceAll(/(?<=127\.0\.0\.1:)\d+/g, 'PORT')
      .replaceAll(/pst_\w{62}/g, 'TOKEN');
  return { code, stdout: replace(stdout), stderr: replace(stderr) };
}

export const usingStack = (region = 'eu-west-1'): string =>
  `Using the stack PlantStore in ${region} of the account 111122223333.\n`;

export const emptyTable = 'ID  OWNER  SCOPES  STATUS  EXPIRES  LABEL\n';
