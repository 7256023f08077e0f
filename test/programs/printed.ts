import type { Ended } from '../support/program.ts';

// What the programs print.

/** Returns the output of `issue` or `rotate` with TOKEN, ID and TIME in place of what differs. */
export const mask = ({ code, stdout, stderr }: Ended): Ended => ({
  code,
  stdout: stdout.replace(/^pst_\w{62}$/m, 'TOKEN'),
  stderr: stderr.replace(/^\w{12}: /m, 'ID: ').replace(/20..-..-..T..:..:..Z/, 'TIME'),
});

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

export const issued = (owner: string): string =>
  `ID: plants:read plants:write for ${owner}; expires: TIME. It cannot be shown again.\n`;

export const usingStack = (region = 'eu-west-1'): string =>
  `Using the stack PlantStore in ${region} of the account 111122223333.\n`;

export const emptyTable = 'ID  OWNER  SCOPES  STATUS  EXPIRES  LABEL\n';
