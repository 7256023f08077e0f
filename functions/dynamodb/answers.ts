import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Makes a client reject any answer but a JSON object. The SDK reads an empty answer as `{}`. */
export function requireObjects({ config }: DynamoDBClient): void {
  const { streamCollector } = config;
  config.streamCollector = async (stream) => {
    const bytes = await streamCollector(stream);
    // White space may precede the brace. If the rest is malformed, the SDK rejects it.
    if (bytes.find((byte) => byte > 0x20) !== 0x7b)
      throw new SyntaxError('DynamoDB did not answer with a JSON object.');
    return bytes;
  };
}
