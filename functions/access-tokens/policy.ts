import type { PolicyDocument, Statement } from 'aws-lambda';
import { operations } from '../shared/operations.ts';

/**
 * Returns the policy that allows exactly the operations of the scopes, in the API and stage of a
 * method ARN (`arn:aws:execute-api:REGION:ACCOUNT:API/STAGE/METHOD/PATH`). Ignores unknown scopes.
 * The gateway caches the policy by token, so the policy must be right for every route.
 */
export function makePolicy(scopes: readonly string[], methodArn: string): PolicyDocument {
  const [api, stage] = methodArn.split('/');
  const calls = Object.values(operations)
    .filter(({ scope }) => scopes.includes(scope))
    .flatMap(listCalls);
  // A statement without a resource would be invalid: an error instead of a 403.
  const statement = calls.length > 0 ? makeStatement('Allow', calls) : makeStatement('Deny', ['*']);
  return { Version: '2012-10-17', Statement: [statement] };

  function makeStatement(Effect: 'Allow' | 'Deny', patterns: string[]): Statement {
    return {
      Effect,
      Action: 'execute-api:Invoke',
      Resource: patterns.map((pattern) => `${api}/${stage}/${pattern}`),
    };
  }
}

/**
 * Returns the patterns of an operation's calls, like `DELETE/plants/*`. Each path is listed with
 * and without a slash at the end, because the API accepts both.
 */
function listCalls({ method, path }: { method: string; path: string }): string[] {
  const pattern = `${method}/${path.replace('{id}', '*')}`;
  return [pattern, `${pattern}/`];
}
