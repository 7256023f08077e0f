import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stageName } from '../../../functions/shared/operations.ts';

// The API's reference in a browser: Swagger UI, which calls the API with the demo token.

export const referencePath = '/docs';

const page = import.meta.dirname;
const swaggerUi = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));

/** The page's files, with their folders. */
const folders = new Map([
  ['page.html', page],
  ['page.js', page],
  ['swagger-ui.css', swaggerUi],
  ['swagger-ui-bundle.js', swaggerUi],
  ['openapi.json', join(import.meta.dirname, '..', '..', '..', 'docs')],
]);

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
};

const headers = {
  'Cache-Control': 'no-store',
  // The page loads nothing from other origins, and no other page can frame it.
  'Content-Security-Policy':
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Returns whether a request is for the reference instead of the API. `/` redirects to it. */
export function isOfReference(url: string): boolean {
  const [path = ''] = url.split('?');
  return path === '/' || path === referencePath || path.startsWith(`${referencePath}/`);
}

/** Returns a listener that serves the reference. Its page has this token. */
export function reference(token: string): RequestListener {
  return ({ url = '', headers: { host = '' }, socket }, response) => {
    // Any other host is another site's name for this machine (DNS rebinding).
    if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host)) {
      const own = `http://127.0.0.1:${socket.localPort}${referencePath}`;
      console.error(`The reference was requested under another host name. It is at ${own} only.`);
      response.writeHead(403, { ...headers, 'Content-Type': 'text/plain' });
      response.end(`The reference is at ${own} only.\n`);
      return;
    }
    const [path = ''] = url.split('?');
    if (path === '/') {
      response.writeHead(302, { ...headers, Location: referencePath }).end();
      return;
    }
    const name = path.slice(`${referencePath}/`.length) || 'page.html';
    const folder = folders.get(name);
    if (folder === undefined) {
      response.writeHead(404, headers).end();
      return;
    }
    const text = readFileSync(join(folder, name), 'utf8');
    response.writeHead(200, { ...headers, 'Content-Type': types[extname(name)] });
    response.end(complete(name, text, token));
  };
}

function complete(name: string, text: string, token: string): string {
  switch (name) {
    case 'page.html':
      return text.replace('{{token}}', token);
    case 'openapi.json':
      // The page calls the server that serves it, and no deployed one.
      return JSON.stringify({ ...JSON.parse(text), servers: [{ url: `/${stageName}` }] });
    default:
      return text;
  }
}
