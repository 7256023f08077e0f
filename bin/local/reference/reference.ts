import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';

export const referencePath = '/docs';

/**
 * Returns a handler of the API's reference, a page that can call the API with this token. It
 * returns false for requests that are not for the page. The page loads nothing from elsewhere.
 */
export function apiReference(token: string) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const [path = ''] = (request.url ?? '').split('?');
    if (isLost(request, path)) {
      response.writeHead(302, { ...headers, Location: referencePath }).end();
      return true;
    }
    if (path !== referencePath && !path.startsWith(`${referencePath}/`)) return false;
    const name = path === referencePath ? 'page.html' : path.slice(referencePath.length + 1);

    // Prevents DNS rebinding.
    const [hostname = ''] = (request.headers.host ?? '').split(':');
    if (!['127.0.0.1', 'localhost'].includes(hostname)) return refuse(response, 403);
    if (request.method !== 'GET') return refuse(response, 405);
    const found = files.get(name);
    if (!found) return refuse(response, 404);
    const [type, file] = found;

    const text = readFileSync(file, 'utf8');
    response.writeHead(200, { ...headers, 'Content-Type': type });
    response.end(name === 'page.html' ? text.replace('{{token}}', token) : text);
    return true;
  };
}

/**
 * Returns whether someone looks for a page at an address that has none, like the base URL, where
 * the API has nothing either.
 */
function isLost({ method, headers: { accept = '' } }: IncomingMessage, path: string): boolean {
  if (method !== 'GET') return false;
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

/** What the page consists of. The token is in the HTML, which no page of another site can read. */
const files = new Map<string, [type: string, file: string]>(
  Object.entries({
    'page.html': ['text/html; charset=utf-8', join(import.meta.dirname, 'page.html')],
    'page.css': ['text/css; charset=utf-8', join(import.meta.dirname, 'page.css')],
    'page.js': ['text/javascript; charset=utf-8', join(import.meta.dirname, 'page.js')],
    'swagger-ui.css': ['text/css; charset=utf-8', join(swaggerUi, 'swagger-ui.css')],
    'swagger-ui-bundle.js': [
      'text/javascript; charset=utf-8',
      join(swaggerUi, 'swagger-ui-bundle.js'),
    ],
    'openapi.json': ['application/json', join(root, 'docs', 'openapi.json')],
  }),
);
