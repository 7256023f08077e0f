/** Returns CloudFormation's description of a stack with these outputs. */
export const describeStack = (name: string, outputs: Record<string, string>): string => {
  const members = Object.entries(outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return (
    '<DescribeStacksResponse><DescribeStacksResult><Stacks><member>' +
    `<StackName>${name}</StackName><Outputs>${members.join('')}</Outputs>` +
    '</member></Stacks></DescribeStacksResult></DescribeStacksResponse>'
  );
};
