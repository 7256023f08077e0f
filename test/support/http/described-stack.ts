/** Returns CloudFormation's description of a stack with these outputs. */
export const describeStack = (
  name: string,
  outputs: Record<string, string>,
  region = 'eu-west-1',
): string => {
  const members = Object.entries(outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const id = `arn:aws:cloudformation:${region}:111122223333:stack/${name}/0a1b2c3d`;
  return (
    '<DescribeStacksResponse><DescribeStacksResult><Stacks><member>' +
    `<StackId>${id}</StackId><StackName>${name}</StackName>` +
    `<Outputs>${members.join('')}</Outputs>` +
    '</member></Stacks></DescribeStacksResult></DescribeStacksResponse>'
  );
};
