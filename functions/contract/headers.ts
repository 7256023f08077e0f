export const requestIdHeader = 'X-Request-Id';

/** Headers of every response, the gateway's own included. `corsOrigin` is the one origin whose pages may read them, or `*`; none when CORS is off. */
export const commonHeaders = (corsOrigin?: string): Record<string, string> => ({
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=63072000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  ...(corsOrigin && {
    'Access-Control-Allow-Origin': corsOrigin,
    'Access-Control-Expose-Headers': `Link, Location, Retry-After, ${requestIdHeader}`,
  }),
});
