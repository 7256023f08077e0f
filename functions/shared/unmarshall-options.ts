/** How document clients read numbers: as bigints, so that no digit of an int64 is lost. */
export const unmarshallOptions = { wrapNumbers: BigInt };
