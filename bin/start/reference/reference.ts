import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';

export const referencePath = '/docs';

/** Answers a request, or returns false for one that it leaves to others. */
type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Returns a handler of the API's reference, a page that can call the API with this token. It leaves
 * requests that are not for the page to others. The page loads nothing from elsewhere.
 */
export function apiReference(token: string): Intercept {
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    if (isLost(request, path)) {
      response.writeHead(302, { ...headers, Location: referencePath }).end();
      return true;
    }
    if (path !== referencePath && !path.startsWith(`${referencePath}/`)) {
      return false;
    }
    const name = path === referencePath ? 'page.html' : path.slice(referencePath.length + 1);

    // Prevents DNS rebinding.
    const [hostname = ''] = (request.headers.host ?? '').split(':');
    if (!['127.0.0.1', 'localhost'].includes(hostname)) {
      return refuse(response, 403);
    }
    if (request.method !== 'GET') {
      return refuse(response, 405);
    }
    const folder = folders.get(name);
    if (folder === undefined) {
      return refuse(response, 404);
    }

    const text = readFileSync(join(folder, name), 'utf8');
    response.writeHead(200, { ...headers, 'Content-Type': types[extname(name)] });
    response.end(name === 'page.html' ? text.replace('{{token}}', token) : text);
    return true;
  };
}

/**
 * Returns whether someone looks for a page at an address that has none, like the base URL, where
 * the API has nothing either.
 */
function isLost({ method, headers: { accept = '' } }: IncomingMessage, path: string): boolean {
  if (method !== 'GET') {
    return false;
  }
  const isBase = /^\/[^/]*\/?$/.test(path) && path !== referencePath;
  return path === '/' || path === `${referencePath}/` || (isBase && accept.includes('text/html'));
}

function refuse(response: ServerResponse, status: number): true {
  response.writeHead(status, headers).end();
  return true;
}

const headers = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

const root = join(import.meta.dirname, '..', '..', '..');
const swaggerUi = join(root, 'node_modules', 'swagger-ui-dist');

/** The folders of the page's files. No page of another site can read the token in the HTML. */
const folders = new Map([
  ['page.html', import.meta.dirname],
  ['page.css', import.meta.dirname],
  ['page.js', import.meta.dirname],
  ['swagger-ui.css', swaggerUi],
  ['swagger-ui-bundle.js', swaggerUi],
  ['openapi.json', join(root, 'docs')],
]);
const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
};
