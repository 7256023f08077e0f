import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Makes a certificate for 127.0.0.1 in a folder. Returns the paths of key and certificate. */
export function makeCertificate(folder: string): { key: string; certificate: string } {
  const key = join(folder, 'key.pem');
  const certificate = join(folder, 'certificate.pem');
  const kind = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2';
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync('openssl', [...kind.split(' '), ...names, ...files], { stdio: 'ignore' });
  return { key, certificate };
}
