/** The parts of an access token: the prefix, then so many base62 digits of id, secret, checksum. */
export const tokenParts = { prefix: 'pst_', id: 12, secret: 43, checksum: 6 } as const;
const { prefix, id, secret, checksum } = tokenParts;

export const tokenIdPattern = `[0-9A-Za-z]{${id}}`;

/** Matches an access token in any text. A secret scanner can use it. */
export const accessTokenPattern = `${prefix}${tokenIdPattern}_[0-9A-Za-z]{${secret + checksum}}`;

/**
 * Matches an `Authorization` header that is worth a call of the authorizer. Java (API Gateway),
 * Python (SAM CLI) and JavaScript read it alike.
 */
export const authorizationPattern = `^[Bb][Ee][Aa][Rr][Ee][Rr] +${accessTokenPattern}$`;

/** Matches the name of an owner, and says so in words. */
export const ownerRule = '1 to 128 letters, digits and . _ @ -';
export const ownerPattern = '^[A-Za-z0-9._@-]{1,128}$';
