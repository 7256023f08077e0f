/**
 * Every code of a log line, with its meaning. A code never changes, because metric filters and
 * alarms depend on it.
 */
export const logCodes = {
  PLANT_CREATED: 'A plant was stored.',
  PLANT_UNCHANGED: 'The plant existed already with the same content. Nothing was written.',
  PLANTS_LISTED: 'A page of plants was read.',
  PLANT_DELETED: 'A plant was deleted.',
  REQUEST_REFUSED: 'A request was answered with a problem that the caller can fix (4xx).',
  DATABASE_UNAVAILABLE: 'DynamoDB throttled, was slow or was unreachable. The answer was 503.',
  REQUEST_FAILED: 'An unexpected error occurred. The answer was 500.',
  TOKEN_ACCEPTED: 'An access token was accepted.',
  TOKEN_REFUSED: 'An access token was refused. `reason` says why.',
  AUTHORIZER_FAILED: 'The authorizer could not check an access token. The gateway answers 503.',
  PRIMING_FAILED: 'A function could not be prepared, so that its first request is slower.',
} as const;

export type LogCode = keyof typeof logCodes;
