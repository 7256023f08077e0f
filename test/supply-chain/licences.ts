import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/checkout.ts';

export const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** Licences that ask for no more than to be named. */
const licences = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];
/** Licences that only tools have, which are not deployed. */
const licencesOfTools = [...licences, 'BlueOak-1.0.0', 'CC-BY-4.0'];

const isOneOf = (list: string[]) => (license: string) =>
  license.split(' OR ').some((one) => list.includes(one.replace(/[()]/g, '')));
export const mayBeDeployed = isOneOf(licences);
export const mayBeInstalled = isOneOf(licencesOfTools);
