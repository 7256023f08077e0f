import { statusOf } from '../../functions/access-tokens/record.ts';
import type { Scope } from '../../functions/shared/operations.ts';
import {
  type IssuedToken,
  issueToken,
  listTokens,
  revokeToken,
  rotateToken,
} from '../administration/access-tokens.ts';
import { openTarget } from '../administration/target.ts';
import type { TargetOptions } from '../administration/target-options.ts';
import { expiry, jsonOf, tableOf } from './output.ts';

// bin/token.ts loads this file only for a valid command line, because loading the SDK takes longer
// than everything else.

interface Lifetime {
  /** In seconds. */
  expiresIn: number | 'never';
}

export interface IssueOptions extends TargetOptions, Lifetime {
  owner: string;
  scope: Scope[];
  label: string;
}

export interface ListOptions extends TargetOptions {
  owner?: string;
  active?: true;
  json?: true;
}

export interface RotateOptions extends TargetOptions, Lifetime {
  /** In seconds. */
  overlap: number;
}

export async function issue(options: IssueOptions): Promise<void> {
  const target = await openTarget(options);
  const { owner, scope: scopes, label, expiresIn } = options;
  show(await issueToken(...target, { owner, scopes, label, expires: expiresAt(expiresIn) }));
}

export async function list(options: ListOptions): Promise<void> {
  const now = Date.now();
  const tokens = (await listTokens(...(await openTarget(options)), options.owner)).filter(
    (token) => !options.active || statusOf(token, now) === 'active',
  );
  console.log(options.json ? jsonOf(tokens, now) : tableOf(tokens, now));
}

export async function revoke(options: TargetOptions, id: string): Promise<void> {
  const { owner } = await revokeToken(...(await openTarget(options)), id);
  console.error(
    `Revoked ${id} of ${owner}. API Gateway may accept it for up to 60 s more, or for as ` +
      'long as the setting authorizer-cache says.',
  );
}

export async function rotate(options: RotateOptions, id: string): Promise<void> {
  const target = await openTarget(options);
  const { replaced, ...issued } = await rotateToken(...target, id, {
    overlap: options.overlap,
    expires: expiresAt(options.expiresIn),
  });
  show(issued);
  console.error(`It replaces ${replaced.id}, which works until ${expiry(replaced.expires)}.`);
}

function show({ id, token, record }: IssuedToken): void {
  console.log(token);
  console.error(
    `${id}: ${record.scopes.join(' ')} for ${record.owner}; ` +
      `expires: ${expiry(record.expires)}. It cannot be shown again.`,
  );
}

function expiresAt(lifetime: number | 'never'): number | undefined {
  return lifetime === 'never' ? undefined : Math.floor(Date.now() / 1000) + lifetime;
}
