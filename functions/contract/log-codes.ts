/** Every code that a log line of ours can carry, with what it says. Metric filters and alarms hang on the codes: they only ever get more. */
export const logCodes = {
  PLANT_CREATED: 'A plant was stored.',
  PLANT_UNCHANGED: 'The plant was there already with the same content; nothing was written.',
  PLANTS_LISTED: 'A page of plants was read.',
  PLANT_DELETED: 'A plant was deleted.',
  REQUEST_REFUSED: 'A request was answered with a problem that is the caller’s to mend (4xx).',
  DATABASE_UNAVAILABLE: 'DynamoDB throttled, was slow or unreachable; the answer was 503.',
  REQUEST_FAILED: 'An unforeseen error; the answer was 500.',
  TOKEN_ACCEPTED: 'An access token was accepted.',
  TOKEN_REFUSED: 'An access token was refused; `reason` says why.',
  AUTHORIZER_FAILED: 'The authorizer could not judge an access token; the gateway answers 503.',
  PRIMING_FAILED: 'A function could not be prepared for its first request, which is slower for it.',
} as const;

export type LogCode = keyof typeof logCodes;
