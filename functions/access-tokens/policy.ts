import type { PolicyDocument } from 'aws-lambda';
import { operations } from '../contract/operations.ts';
import { type Scope, scopes } from '../contract/scopes.ts';

/**
 * The policy that allows exactly the operations of the given scopes, in the API and stage of a method ARN
 * (`arn:aws:execute-api:REGION:ACCOUNT:API/STAGE/METHOD/PATH`). The gateway caches it by token, so it must be right for every route.
 */
export function policyFor(granted: readonly Scope[], methodArn: string): PolicyDocument {
  const [api, stage] = methodArn.split('/');
  const allowed = granted
    .flatMap((scope) => scopes[scope])
    .map((operation) => operations[operation]);
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: 'execute-api:Invoke',
        Resource: allowed.map(
          ({ method, path }) => `${api}/${stage}/${method}/${path.replace(/\{\w+\}/, '*')}`,
        ),
      },
    ],
  };
}
