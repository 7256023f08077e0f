import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

// Node loads this module into the thread of the functions. A command that breaks a rule of all
// commands fails, so that its call returns 500.

/** The commands of each call, by its abort signal. */
const counts = new WeakMap<AbortSignal, number>();
const maxCommands = 10;

interface SdkCommand {
  constructor: { name: string };
  input: { ConsistentRead?: boolean };
}

function findError({ constructor: { name }, input }: SdkCommand, abortSignal?: AbortSignal) {
  if (!abortSignal) {
    return 'has no abort signal';
  }
  const count = (counts.get(abortSignal) ?? 0) + 1;
  counts.set(abortSignal, count);
  if (count > maxCommands) {
    return `is command ${count} of its call`;
  }
  const isRead = /^(?:Get|Query|Scan|BatchGet)/.test(name);
  return isRead && input.ConsistentRead !== true ? 'is a read that may be stale' : undefined;
}

const { send } = DynamoDBDocumentClient.prototype as unknown as {
  send: (command: SdkCommand, options?: { abortSignal?: AbortSignal }) => Promise<unknown>;
};
Object.assign(DynamoDBDocumentClient.prototype, {
  async send(...args: Parameters<typeof send>) {
    const [command, options] = args;
    const error = findError(command, options?.abortSignal);
    if (error) {
      throw new Error(`This ${command.constructor.name} ${error}.`);
    }
    return await send.apply(this, args);
  },
});
