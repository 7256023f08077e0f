/** Tells whether a command of DynamoDB, like `GetItem`, only reads. Any other may write. */
export const isRead = (command: string): boolean =>
  /^(?:(?:Batch|Transact)?Get|Query|Scan|Describe|List)/.test(command);

/**
 * How document clients read numbers: as `NumberValue`, which holds their text, so that no digit is
 * lost and no number of another version is an error.
 */
export const unmarshallOptions = { wrapNumbers: true };
