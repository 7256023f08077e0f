/** Where an access token's parts end: `pst_` id `_` secret checksum, the last three in base62. Tell a secret scanner this pattern. */
export const accessTokenPattern = 'pst_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}';

/** What the gateway asks of an `Authorization` header before it calls the authorizer: the same verdict in Java, Python and JavaScript. */
export const authorizationPattern = `^[Bb][Ee][Aa][Rr][Ee][Rr] +${accessTokenPattern}$`;

/** What an owner of plants can be called. */
export const ownerPattern = '^[A-Za-z0-9._@-]{1,128}$';
