// biome-ignore-start lint/suspicious/noTemplateCurlyInString: CloudFormation's.
const place = '${AWS::AccountId}-${AWS::Region}';
const roleArn = 'arn:${AWS::Partition}:iam::${AWS::AccountId}:role/cdk-${Qualifier}';
const stacks = 'arn:${AWS::Partition}:cloudformation:${AWS::Region}:${AWS::AccountId}:stack';
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: CloudFormation's.

/**
 * The policy statements of .github/deploy-role.yaml. The tests of the stack compare them with the
 * file, and a deployment has these rights and no others.
 */
export const statementsOfDeployRole = [
  {
    Effect: 'Allow',
    Action: 'sts:AssumeRole',
    Resource: [
      { 'Fn::Sub': `${roleArn}-deploy-role-${place}` },
      { 'Fn::Sub': `${roleArn}-file-publishing-role-${place}` },
    ],
  },
  {
    Effect: 'Allow',
    Action: ['cloudformation:DescribeStacks', 'cloudformation:GetTemplate'],
    Resource: { 'Fn::Sub': `${stacks}/PlantStore*/*` },
  },
];
