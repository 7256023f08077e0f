import { effectOf, type Statement } from '../policy-evaluation.ts';
import { accountId, nameInArn, tableArn } from '../template/resource-values.ts';
import type { Template } from '../template/template.ts';

/** Returns why IAM refuses an action on tables, in AWS's words, or undefined if it allows it. */
export type Judge = (action: string, tables: string[]) => string | undefined;

/**
 * Reads what each function may do from its role in a template, by the function's logical id.
 * Throws if a function has a role that the template does not define.
 */
export function readPermissions(template: Template): Map<string, Judge> {
  const policies = [...template.of('AWS::IAM::Policy').values()];
  return new Map(
    [...template.of('AWS::Lambda::Function')].map(([functionName, { Role }]) => {
      const role = nameInArn(Role);
      if (!template.of('AWS::IAM::Role').has(role)) {
        throw new Error(`${functionName}.Role: the template has no role ${Role}.`);
      }
      const statements = policies
        .filter(({ Roles }) => Roles.includes(role))
        .flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
      const user = `arn:aws:sts::${accountId}:assumed-role/${role}/${functionName}`;
      return [functionName, judge(user, statements)];
    }),
  );
}

const judge =
  (user: string, statements: Statement[]): Judge =>
  (action, tables) => {
    // An action on no table, such as ListTables, needs permission for all resources.
    for (const resource of tables.length > 0 ? tables.map(tableArn) : ['*']) {
      const effect = effectOf(statements, action, resource);
      if (effect === 'Allow') {
        continue;
      }
      const what = `User: ${user} is not authorized to perform: ${action} on resource: ${resource}`;
      return effect === 'Deny'
        ? `${what} with an explicit deny in an identity-based policy`
        : `${what} because no identity-based policy allows the ${action} action`;
    }
    return undefined;
  };
