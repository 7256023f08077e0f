export const requestIdHeader = 'X-Request-Id';

/** The end of the caller's access token, if it has one (RFC 3339, UTC, whole seconds). */
export const tokenEndHeader = 'Access-Token-Expires';

const exposed = ['Link', 'Location', 'Retry-After', requestIdHeader, tokenEndHeader];

/**
 * Returns the headers of every response, including the gateway's own. `corsOrigin` is the origin of
 * the pages that may read responses, or `*`. Without it, CORS is off.
 */
export const commonHeaders = (corsOrigin?: string): Record<string, string> => ({
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  // Without includeSubDomains, because a deployer's domain may be the apex of others.
  'Strict-Transport-Security': 'max-age=63072000',
  'X-Content-Type-Options': 'nosniff',
  ...(corsOrigin && {
    'Access-Control-Allow-Origin': corsOrigin,
    'Access-Control-Expose-Headers': exposed.join(', '),
  }),
});

/** Values of the additional headers in responses to CORS preflights. */
export const preflight = {
  allowHeaders: ['Authorization', 'Content-Type'],
  maxAgeSeconds: 3600,
} as const;
