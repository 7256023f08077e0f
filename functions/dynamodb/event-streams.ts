// Stands in for `@smithy/core/event-streams` in bundles, because DynamoDB has none.
export class EventStreamSerde {}
export const eventStreamSerdeProvider = (): never => {
  throw new Error('DynamoDB has no event streams.');
};
