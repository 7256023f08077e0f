/** Malformed values of the Authorization header. TOKEN stands for a token that works. */
export const badShapes = [
  '',
  'Bearer',
  'TOKEN',
  'BearerTOKEN',
  'Bearer\tTOKEN',
  'Bearer "TOKEN"',
  'Bearer TOKEN TOKEN',
  'Bearer TOKEN, Bearer TOKEN',
  'Bearer TOKEN0',
  'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.',
  'Basic TOKEN',
];
