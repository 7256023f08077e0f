/** The prefix of access tokens, and the lengths of id, secret and checksum in base62 digits. */
export const tokenParts = { prefix: 'pst_', id: 12, secret: 43, checksum: 6 } as const;
const { prefix, id, secret, checksum } = tokenParts;

export const tokenIdPattern = `^[0-9A-Za-z]{${id}}$`;

/** Matches an access token in any text, for secret scanners. */
export const accessTokenPattern = `${prefix}[0-9A-Za-z]{${id}}_[0-9A-Za-z]{${secret + checksum}}`;

/**
 * Matches `Authorization` headers that the authorizer must check. The expression means the same in
 * Java (API Gateway), Python (SAM CLI) and JavaScript.
 */
export const authorizationPattern = `^[Bb][Ee][Aa][Rr][Ee][Rr] +${accessTokenPattern}$`;

/** The names that an owner can have: in words, and as a regular expression. */
export const ownerRule = '1 to 128 letters, digits and . _ @ -';
export const ownerPattern = '^[A-Za-z0-9._@-]{1,128}$';
