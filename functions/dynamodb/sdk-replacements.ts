// Replaces two modules of the SDK in bundles, which never use them. This file must import nothing:
// esbuild would load all of its imports lazily, and the bundles would be 3% larger.

export const defaultProvider = (): never => {
  throw new Error('connect() passes the credentials.');
};

export class EventStreamSerde {}
export const eventStreamSerdeProvider = (): never => {
  throw new Error('DynamoDB has no event streams.');
};
