import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Makes a client reject an answer that is no JSON object. The SDK takes an empty one for `{}`. */
export function requireObjects({ config }: DynamoDBClient): void {
  const { streamCollector } = config;
  config.streamCollector = async (stream) => {
    const bytes = await streamCollector(stream);
    // White space is less. If the rest is no JSON, the SDK rejects it.
    if (bytes.find((byte) => byte > 0x20) !== 0x7b)
      throw new SyntaxError('DynamoDB did not answer with a JSON object.');
    return bytes;
  };
}
