import { join } from 'node:path';

const folder = join(import.meta.dirname, 'tls');

/**
 * Paths of a private key and its certificate for 127.0.0.1 and localhost, valid until 2100. They
 * are public, so only programs that tests start may trust them.
 */
export const certificateFiles = {
  key: join(folder, 'key.pem'),
  certificate: join(folder, 'certificate.pem'),
};
