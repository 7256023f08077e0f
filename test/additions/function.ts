/** A function that people bundle with CDK's own construct. */
export const handler = async (event: unknown): Promise<void> => console.log(event);
