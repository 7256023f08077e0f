import * as v from 'valibot';
import { functionDefaults, settingPrefix as prefix } from './setting-facts.ts';

/** Accepts a number, as text (context from `-c`) or as JSON (context from cdk.json). */
const number = (holds: (value: number) => boolean, message: string) => {
  const written = v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number));
  return v.pipe(v.union([written, v.number()], message), v.check(holds, message));
};

const integer = (least: number, most: number) =>
  number(
    (value) => Number.isInteger(value) && value >= least && value <= most,
    `must be an integer from ${least} to ${most}`,
  );

const oneOf = <const T extends string>(choices: readonly T[], initial: T) =>
  v.optional(v.picklist(choices, `must be ${choices.join(' or ')}`), initial);

const writtenBoolean = v.pipe(
  v.picklist(['true', 'false']),
  v.transform((text) => text === 'true'),
);
const onOrOff = v.optional(v.union([writtenBoolean, v.boolean()], 'must be true or false'), false);

const text = (holds: (value: string) => boolean, message: string) =>
  v.optional(v.pipe(v.string(message), v.check(holds, message)));

/** The URL parser leaves only an origin as it is. It allows `*` and quotes in a host. */
const isOrigin = (value: string) =>
  /^https?:\/\/[a-z0-9._:[\]-]+$/.test(value) &&
  URL.canParse(value) &&
  new URL(value).origin === value;

// The labels of the domain hold no dot, so that the expression takes linear time.
const isEmail = (value: string) =>
  value.length <= 254 && /^[^\s@\p{Cc}]{1,64}@[^\s@.\p{Cc}]+(\.[^\s@.\p{Cc}]+)+$/u.test(value);

/** At most 64 characters, as a certificate allows. API Gateway accepts no capital letters. */
const isDomain = (value: string) =>
  /^(?=.{4,64}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/.test(value);

/**
 * The numbers of days that CloudWatch Logs accepts:
 * https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html
 */
const retentionDays = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288,
  3653,
];

/** The settings of a deployment, each a key `plant-store:NAME` of the CDK context. */
const schema = v.object({
  /** Part of the stack's name, which tells several copies in one account apart. */
  instance: text(
    (value) => /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/.test(value),
    'must be 1 to 64 letters, digits and hyphens',
  ),
  /** Whether destroying the stack keeps the tables. */
  retention: oneOf(['retain', 'destroy'], 'retain'),
  architecture: oneOf(['arm64', 'x86_64'], functionDefaults.architecture),
  /** MB for each function, with CPU in proportion: by default, a cold request takes under 1 s. */
  memory: v.optional(integer(128, 10240), functionDefaults.memory),
  /**
   * Requests a second that API Gateway admits to each method, and how many at once:
   * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
   */
  'throttle-rate': v.optional(integer(1, 10000), 50),
  'throttle-burst': v.optional(integer(1, 5000), 100),
  /** Seconds for which API Gateway caches a verdict, and a revoked token can live on. */
  'authorizer-cache': v.optional(integer(0, 300), 60),
  /** Days. */
  'log-retention': v.optional(
    number((days) => retentionDays.includes(days), `must be one of ${retentionDays.join(', ')}`),
    30,
  ),
  /** The one origin whose pages may call the API, or `*`. By default, no page may. */
  'cors-origin': text(
    (value) => value === '*' || isOrigin(value),
    'must be an origin like https://example.com, or *',
  ),
  /** The address that alarms mail to, once its owner has confirmed. By default, no mail is sent. */
  'alarm-email': text(isEmail, 'must be an e-mail address'),
  /** The budget, in dollars a month for the whole account. `alarm-email` gets its mails. */
  'monthly-budget': v.optional(integer(1, 1_000_000)),
  /** The domain whose `/v1` is the base URL, with a certificate or a hosted zone. */
  domain: text(isDomain, 'must be a domain name like api.example.com, in lower case'),
  /** The ARN of a certificate for the domain, in the stack's region. */
  certificate: text(
    (value) => /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/.test(value),
    'must be the ARN of a certificate in AWS Certificate Manager',
  ),
  /** The id of the Route 53 zone in which the stack makes the domain's certificate and record. */
  'hosted-zone': text(
    (value) => /^[A-Z0-9]{1,32}$/.test(value),
    'must be the id of a hosted zone like Z0123456789ABCDEFGHIJ',
  ),
  /** Whether the API answers at its domain alone, and no longer at execute-api. */
  'domain-only': onOrOff,
  /** Whether API Gateway logs each request, which needs a role (docs/operations.md). */
  'access-log': onOrOff,
  /** Source maps of the bundles: inline for a debugger, linked for files of their own. */
  'source-maps': oneOf(['off', 'inline', 'linked'], 'off'),
});

export type Settings = v.InferOutput<typeof schema>;

export const settingNames = Object.keys(schema.entries);

/**
 * Reads the `plant-store:` keys of the CDK context and ignores all others, except settings whose
 * prefix is missing or misspelt. Throws a SettingsError of one line that names every fault, also of
 * settings among `besideContext`, the other keys of cdk.json, which CDK ignores.
 */
export function readSettings(
  context: Record<string, unknown>,
  besideContext: string[] = [],
): Settings {
  const given = Object.fromEntries(
    Object.entries(context)
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => [key.slice(prefix.length), value]),
  );
  const result = v.safeParse(schema, given);
  const misspelt = Object.keys(context)
    .filter((key) => !key.startsWith(prefix) && settingNames.includes(withoutPrefix(key)))
    .map((key) => `${key} must be ${prefix}${withoutPrefix(key)}`);
  const name = prefix.slice(0, -1);
  const nested = name in context ? [`${name} must be keys of their own, like ${prefix}memory`] : [];
  const misplaced = besideContext
    .filter((key) => key === name || resembling.test(key))
    .map((key) => `${key} must be under "context" in cdk.json`);
  const unknown = Object.keys(given)
    .filter((name) => !settingNames.includes(name))
    .map((name) => `${prefix}${name} is unknown (there are ${settingNames.join(', ')})`);
  const invalid = (result.issues ?? []).map(
    ({ path, message, input }) =>
      `${prefix}${path?.[0].key} ${message}, not ${JSON.stringify(input)}`,
  );
  const faults = [...misspelt, ...nested, ...misplaced, ...unknown, ...invalid, ...unmet(given)];
  if (faults.length > 0 || !result.success) {
    throw new SettingsError(`Bad settings: ${faults.join('; ')}.`);
  }
  return result.output;
}

/** Returns what settings that depend on each other lack. */
function unmet(given: Record<string, unknown>): string[] {
  function has(name: string): boolean {
    const value = given[name];
    return value !== undefined && value !== false && value !== 'false';
  }
  const faults: string[] = [];
  function requireBeside(name: string, needed: string, why = ''): void {
    if (has(name) && !has(needed)) {
      faults.push(`${prefix}${name} needs ${prefix}${needed}${why}`);
    }
  }
  requireBeside('monthly-budget', 'alarm-email', ', where its warnings go');
  if (has('domain') && has('certificate') === has('hosted-zone')) {
    faults.push(`${prefix}domain needs either ${prefix}certificate or ${prefix}hosted-zone`);
  }
  requireBeside('certificate', 'domain');
  requireBeside('hosted-zone', 'domain');
  requireBeside('domain-only', 'domain');
  return faults;
}

/** Matches prefixes that resemble ours, as `plantStore:` and `plants_store.` do. */
const resembling = new RegExp(`^${prefix.slice(0, -1).split('-').join('s?[-_ ]?')}s?[-_.:/]`, 'i');
const withoutPrefix = (key: string) => key.replace(resembling, '');

export class SettingsError extends Error {
  override name = 'SettingsError';
}
