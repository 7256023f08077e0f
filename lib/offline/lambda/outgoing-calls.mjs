// @ts-check
import dns from 'node:dns';
import { BlockList, isIP, Socket } from 'node:net';

// Keeps calls of AWS on this machine. Loaded before anything else in a function's thread and in the
// threads that the function starts.

const ofAws = /(^|\.)(amazonaws\.[a-z.]+|api\.aws|on\.aws|api\.amazonwebservices\.com\.cn)$/;
/** The credentials and metadata of a machine or container of AWS. */
const ofMachine = new BlockList();
ofMachine.addSubnet('169.254.0.0', 16);
ofMachine.addSubnet('fd00:ec2::', 32, 'ipv6');

/** The hosts that variables of the function name, which may be called. */
const hosts = Object.entries(process.env)
  .filter(([name, url = '']) => name.startsWith('AWS_ENDPOINT_URL') && URL.canParse(url))
  .map(([, url]) => plain(new URL(`${url}`).hostname));

/** Returns a host in its one spelling. @param {unknown} host */
function plain(host) {
  return String(host ?? '')
    .toLowerCase()
    .replace(/^\[|\]$|\.$/g, '');
}

/** Returns whether a host belongs to AWS, however its address is written. @param {string} name */
function isOfAws(name) {
  switch (isIP(name)) {
    case 4:
      return ofMachine.check(name, 'ipv4');
    case 6:
      return ofMachine.check(name, 'ipv6');
    default:
      return ofAws.test(name);
  }
}

/**
 * Returns why a host is not called, or undefined if it may be.
 * @param {unknown} host
 */
function refusalOf(host) {
  const name = plain(host);
  if (!isOfAws(name)) {
    return undefined;
  }
  if (hosts.some((known) => name.endsWith(known))) {
    return undefined;
  }
  const message =
    `called ${name}, which is not reached from here. ` +
    'AWS_ENDPOINT_URL_… in its environment points an SDK to a server of your own. ' +
    'See docs/imitates.md.';
  // An SDK does not try again after this code.
  return Object.assign(new Error(message), { code: 'ServiceNotImitated' });
}

/** @param {Socket} socket @param {Error} refusal */
function refuse(socket, refusal) {
  process.stderr.write(`${refusal.message}\n`);
  socket.destroy(refusal);
}

const { connect } = Socket.prototype;

/** @this {Socket} @param {any[]} args */
function connectHere(...args) {
  // Node's own modules pass on an array that begins with the options.
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  const host = typeof first === 'object' && first !== null ? first.host : second;
  const refusal = refusalOf(host);
  if (refusal) {
    process.nextTick(refuse, this, refusal);
    return this;
  }
  this.on('lookup', (_error, address) => {
    const refusal = refusalOf(address);
    if (refusal) {
      refuse(this, refusal);
    }
  });
  return Reflect.apply(/** @type {any} */ (connect), this, args);
}

const { lookup } = dns;

/**
 * Looks up the host of an endpoint if an SDK has put a name before it, like `sync-127.0.0.1`.
 * @param {string} name @param {any[]} rest
 */
function lookUpHere(name, ...rest) {
  const host = ofAws.test(plain(name)) ? undefined : hosts.find((known) => name.endsWith(known));
  return /** @type {any} */ (lookup)(host ?? name, ...rest);
}

Object.assign(Socket.prototype, { connect: connectHere });
Object.assign(dns, { lookup: lookUpHere });
