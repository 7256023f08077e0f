// @ts-check
import dns from 'node:dns';

const ofAws = /(^|\.)(amazonaws\.com(\.cn)?|api\.aws|on\.aws)$/;

/**
 * Keeps calls of AWS on this machine. Names that an SDK puts before the host of an endpoint, like
 * `sync-127.0.0.1`, mean that host. AWS's own hosts are not looked up, unless a variable of the
 * function names them.
 */
export function keepCallsHere() {
  const hosts = Object.entries(process.env)
    .filter(([name, url = '']) => name.startsWith('AWS_ENDPOINT_URL') && URL.canParse(url))
    .map(([, url]) => new URL(`${url}`).hostname);
  const original = /** @type {(name: string, ...rest: any[]) => void} */ (dns.lookup);
  /** @param {string} name @param {any[]} rest */
  const lookup = (name, ...rest) => {
    const host = hosts.find((known) => name.endsWith(known));
    if (host) return original(ofAws.test(name) ? name : host, ...rest);
    if (!ofAws.test(name)) return original(name, ...rest);
    const message =
      `called ${name}, which is not reached from here. ` +
      'AWS_ENDPOINT_URL_… in its environment points an SDK to a server of your own. ' +
      'See docs/imitates.md.';
    process.stderr.write(`${message}\n`);
    // An SDK does not try again after this code.
    process.nextTick(
      rest.at(-1),
      Object.assign(new Error(message), { code: 'ServiceNotImitated' }),
    );
  };
  Object.assign(dns, { lookup });
}
