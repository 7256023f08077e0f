import { isIP } from 'node:net';
import { connect, type SecureVersion } from 'node:tls';

/** Tries to connect with one version of TLS, and returns whether the server accepted it. */
export function tryTls(
  version: SecureVersion,
  host: string,
  port: number,
): Promise<'accepted' | 'refused'> {
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port,
      ...(!isIP(host) && { servername: host }),
      minVersion: version,
      maxVersion: version,
      // OpenSSL itself refuses old versions above this security level.
      ciphers: 'ALL:@SECLEVEL=0',
      rejectUnauthorized: false,
    });
    socket.on('secureConnect', () => {
      resolve('accepted');
      socket.destroy();
    });
    socket.on('error', () => resolve('refused'));
    socket.on('close', () => resolve('refused'));
  });
}
