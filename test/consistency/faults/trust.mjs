// Makes a thread trust the certificate in NODE_EXTRA_CA_CERTS, which Node reads only when a process
// starts.
import { readFileSync } from 'node:fs';
import { setDefaultCACertificates } from 'node:tls';

setDefaultCACertificates([readFileSync(process.env.NODE_EXTRA_CA_CERTS)]);
