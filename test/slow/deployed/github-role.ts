import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { matches } from '../../../lib/local/gateway/token-authorizer.ts';
import { Resources } from '../../stack/deploy-role.ts';
import { serve } from '../../support/http/servers.ts';

/** The access key of a job of GitHub, which has the role of .github/deploy-role.yaml. */
export const accessKeyOfJob = 'GITHUB';

interface Statement {
  Action: string | string[];
  Resource: { 'Fn::Sub': string } | { 'Fn::Sub': string }[];
}

/** The account and region of MiniStack. */
const account = '000000000000';
const region = 'us-east-1';
const values: Record<string, string> = {
  'AWS::Partition': 'aws',
  'AWS::AccountId': account,
  'AWS::Region': region,
  Qualifier: 'hnb659fds',
};

const [policy] = Resources.DeployRole.Properties.Policies;
const statements: Statement[] = policy.PolicyDocument.Statement;

const fillPattern = (pattern: { 'Fn::Sub': string }): string =>
  pattern['Fn::Sub'].replaceAll(/\$\{([\w:]+)\}/g, (_, name) => `${values[name]}`);

/** Returns the IAM action and resource of a call of STS or CloudFormation. */
function parseCall(
  headers: IncomingHttpHeaders,
  body: Buffer,
): { action: string; resource: string } {
  const [, service = ''] =
    /Credential=[^/]+\/\d+\/[\w-]+\/(\w+)\//.exec(`${headers.authorization}`) ?? [];
  const form = new URLSearchParams(`${body}`);
  const stack = `arn:aws:cloudformation:${region}:${account}:stack/${form.get('StackName')}/*`;
  const resource = form.get('RoleArn') ?? stack;
  return { action: `${service}:${form.get('Action')}`, resource };
}

/**
 * Starts a server that passes requests on to MiniStack, which checks no permissions. The server
 * denies requests that the role of a GitHub job does not allow. Returns its origin.
 */
export function startAwsForGitHub(ministack: string): Promise<string> {
  const isAllowed = (action: string, resource: string): boolean =>
    // Needs no permission.
    action === 'sts:GetCallerIdentity' ||
    statements.some(
      ({ Action, Resource }) =>
        [Action].flat().includes(action) &&
        [Resource].flat().some((pattern) => matches(fillPattern(pattern), resource)),
    );
  return serve(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray());
    const { method = '', url = '', headers } = incoming;
    if (`${headers.authorization}`.includes(`Credential=${accessKeyOfJob}/`)) {
      const { action, resource } = parseCall(headers, body);
      if (!isAllowed(action, resource)) {
        const error = `<Code>AccessDenied</Code><Message>${action} on ${resource}</Message>`;
        outgoing.writeHead(403, { 'Content-Type': 'text/xml' });
        outgoing.end(`<ErrorResponse><Error>${error}</Error></ErrorResponse>`);
        return;
      }
    }
    const forwarded = httpRequest(new URL(url, ministack), { method, headers }, (response) => {
      response.pipe(outgoing.writeHead(response.statusCode ?? 0, response.headers));
    });
    forwarded.on('error', (error) => outgoing.destroy(error));
    forwarded.end(body);
  });
}
