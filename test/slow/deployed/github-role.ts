import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { root } from '../../support/checkout.ts';
import { serve } from '../../support/http/servers.ts';

interface Statement {
  Action: string | string[];
  Resource: Sub | Sub[];
}
interface Sub {
  'Fn::Sub': string;
}

/** The access key of a job of GitHub, which has the role of .github/deploy-role.yaml. */
export const accessKeyOfJob = 'GITHUB';

/** Returns what the role allows. */
function statementsOfRole(): Statement[] {
  const app = new App({ builtinCloudFormationValidation: false });
  const templateFile = join(root, '.github', 'deploy-role.yaml');
  new CfnInclude(new Stack(app, 'DeployRole'), 'Template', { templateFile });
  const { Resources } = app.synth().getStackByName('DeployRole').template;
  const [policy] = Resources.DeployRole.Properties.Policies;
  return policy.PolicyDocument.Statement;
}

/** Returns whether a pattern of IAM, like `stack/PlantStore*`, matches a whole text. */
function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}

/** The account and the region of the stand-in. */
const account = '000000000000';
const region = 'us-east-1';
const values: Record<string, string> = {
  'AWS::Partition': 'aws',
  'AWS::AccountId': account,
  'AWS::Region': region,
  Qualifier: 'hnb659fds',
};

const filled = (pattern: Sub): string =>
  pattern['Fn::Sub'].replaceAll(/\$\{([\w:]+)\}/g, (_, name) => `${values[name]}`);

/** Returns the action and the resource of a call of STS or CloudFormation, as IAM names them. */
function callOf(headers: IncomingHttpHeaders, body: Buffer): { action: string; resource: string } {
  const [, service = ''] =
    /Credential=[^/]+\/\d+\/[\w-]+\/(\w+)\//.exec(`${headers.authorization}`) ?? [];
  const form = new URLSearchParams(`${body}`);
  const stack = `arn:aws:cloudformation:${region}:${account}:stack/${form.get('StackName')}/*`;
  const resource = form.get('RoleArn') ?? stack;
  return { action: `${service}:${form.get('Action')}`, resource };
}

/**
 * Starts a server that passes requests on to the stand-in, which knows no permissions. It refuses
 * what a job of GitHub may not do with its own access key. Returns its origin.
 */
export function startAwsForGitHub(standIn: string): Promise<string> {
  const statements = statementsOfRole();
  const isAllowed = (action: string, resource: string): boolean =>
    // Everybody may ask who one is.
    action === 'sts:GetCallerIdentity' ||
    statements.some(
      ({ Action, Resource }) =>
        [Action].flat().includes(action) &&
        [Resource].flat().some((pattern) => matches(filled(pattern), resource)),
    );
  return serve(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray());
    const { method = '', url = '', headers } = incoming;
    if (`${headers.authorization}`.includes(`Credential=${accessKeyOfJob}/`)) {
      const { action, resource } = callOf(headers, body);
      if (!isAllowed(action, resource)) {
        const error = `<Code>AccessDenied</Code><Message>${action} on ${resource}</Message>`;
        outgoing.writeHead(403, { 'Content-Type': 'text/xml' });
        outgoing.end(`<ErrorResponse><Error>${error}</Error></ErrorResponse>`);
        return;
      }
    }
    const forwarded = httpRequest(new URL(url, standIn), { method, headers }, (answer) => {
      answer.pipe(outgoing.writeHead(answer.statusCode ?? 0, answer.headers));
    });
    forwarded.on('error', (error) => outgoing.destroy(error));
    forwarded.end(body);
  });
}
