/** Values of an Authorization header, with TOKEN in place of an access token that works. */
export const goodShapes = [
  'Bearer TOKEN',
  'bearer TOKEN',
  'BEARER TOKEN',
  'bEaReR TOKEN',
  'Bearer    TOKEN',
  // HTTP drops blanks around a value.
  '  Bearer TOKEN  ',
];

/** Values that are refused, whatever the token is. */
export const badShapes = [
  '',
  'Bearer',
  'Bearer ',
  'TOKEN',
  'BearerTOKEN',
  'Bearer: TOKEN',
  'Bearer\tTOKEN',
  'Bearer "TOKEN"',
  'Bearer token=TOKEN',
  'Bearer TOKEN TOKEN',
  'Bearer TOKEN,Bearer TOKEN',
  'Bearer TOKEN, Bearer TOKEN',
  'Bearer Bearer TOKEN',
  'Bearer TOKEN0',
  'Bearer 0TOKEN',
  'Bearer null',
  'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.',
  'Basic TOKEN',
  'Token TOKEN',
];
