import * as v from 'valibot';
import { defaultCacheSeconds } from '../../functions/shared/timeouts.ts';

/** The prefix of all settings in the CDK context. */
export const settingPrefix = 'plant-store:';

/** An integer, as text (context from `-c`) or as JSON (context from cdk.json). */
const integer = (least: number, most: number) => {
  const message = `must be an integer from ${least} to ${most}`;
  const written = v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number));
  return v.pipe(
    v.union([written, v.number()], message),
    v.check((value) => Number.isInteger(value) && value >= least && value <= most, message),
  );
};

const choice = <const T extends string>(choices: readonly T[], initial: T) =>
  v.optional(v.picklist(choices, `must be ${choices.join(' or ')}`), initial);

const writtenBoolean = v.pipe(
  v.picklist(['true', 'false']),
  v.transform((text) => text === 'true'),
);
const onOrOff = v.optional(v.union([writtenBoolean, v.boolean()], 'must be true or false'), false);

const text = (holds: (value: string) => boolean, message: string) =>
  v.optional(v.pipe(v.string(message), v.check(holds, message)));

/** The URL parser changes everything but an origin. It allows `*` and quotes in a host. */
const isOrigin = (value: string): boolean =>
  /^https?:\/\/[a-z0-9._:[\]-]+$/.test(value) &&
  URL.canParse(value) &&
  new URL(value).origin === value;

// The labels of the domain contain no dot, so that the expression takes linear time.
const isEmail = (value: string): boolean =>
  value.length <= 254 && /^[^\s@\p{Cc}]{1,64}@[^\s@.\p{Cc}]+(\.[^\s@.\p{Cc}]+)+$/u.test(value);

/** At most 64 characters, as a certificate allows. API Gateway accepts no capital letters. */
const isDomain = (value: string): boolean =>
  /^(?=.{4,64}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/.test(value);

/** The settings of a deployment, each a key `plant-store:NAME` of the CDK context. */
const entries = {
  /** Part of the stack's name, for several copies in one account. */
  instance: text(
    (value) => /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/.test(value),
    'must be 1 to 64 letters, digits and hyphens',
  ),
  /** Whether destroying the stack keeps the tables. */
  retention: choice(['retain', 'destroy'], 'retain'),
  architecture: choice(['arm64', 'x86_64'], 'arm64'),
  /**
   * Requests a second that API Gateway admits to each method, which limits the bill. The burst is
   * twice as large, and 5,000 at most:
   * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
   */
  'throttle-rate': v.optional(integer(1, 10_000), 50),
  /**
   * Requests in any 24 hours, beyond which all traffic stops until the day has room again. By
   * default, none.
   */
  'daily-requests': v.optional(integer(1, 999_999_999)),
  /** Seconds for which API Gateway caches a policy. A revoked token may work for as long. */
  'authorizer-cache': v.optional(integer(0, 300), defaultCacheSeconds),
  /** The one origin whose pages may call the API, or `*`. By default, none. */
  'cors-origin': text(
    (value) => value === '*' || isOrigin(value),
    'must be an origin like https://example.com, or *',
  ),
  /** The address for mail from alarms, after its owner has confirmed. By default, none. */
  'alarm-email': text(isEmail, 'must be an e-mail address'),
  /** Whether API Gateway logs each request, with a role of the account (docs/deploy.md). */
  'access-log': onOrOff,
  /** The domain whose `/v1` is the base URL, with a certificate or a hosted zone. */
  domain: text(isDomain, 'must be a domain name like api.example.com, in lower case'),
  /** The ARN of a certificate for the domain, in the stack's region. */
  certificate: text(
    (value) => /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/.test(value),
    'must be the ARN of a certificate in AWS Certificate Manager',
  ),
  /** The id of the Route 53 zone in which the stack makes the domain's certificate and records. */
  'hosted-zone': text(
    (value) => /^[A-Z0-9]{1,32}$/.test(value),
    'must be the id of a hosted zone like Z0123456789ABCDEFGHIJ',
  ),
};

const names = Object.keys(entries);

const schema = v.pipe(
  v.strictObject(entries, `is unknown (there are ${names.join(', ')})`),
  v.partialCheck(
    [['domain'], ['certificate'], ['hosted-zone']],
    ({ domain, certificate, 'hosted-zone': zone }) => {
      const given = [certificate, zone].filter((setting) => setting !== undefined);
      return given.length === (domain === undefined ? 0 : 1);
    },
    `give ${settingPrefix}domain together with either ${settingPrefix}certificate or ${settingPrefix}hosted-zone`,
  ),
);

export type Settings = v.InferOutput<typeof schema>;

/**
 * Reads the `plant-store:` keys of the CDK context. Throws a SettingsError of one line that lists
 * every error, including settings that CDK would ignore: keys whose prefix is missing or misspelt,
 * and settings in `besideContext`, the other keys of cdk.json.
 */
export function readSettings(
  context: Record<string, unknown>,
  besideContext: string[] = [],
): Settings {
  const given = Object.entries(context).filter(([key]) => key.startsWith(settingPrefix));
  const withoutPrefix = given.map(([key, value]) => [key.slice(settingPrefix.length), value]);
  const result = v.safeParse(schema, Object.fromEntries(withoutPrefix));

  const invalid = (result.issues ?? []).map(describeIssue);
  const misspelt = Object.keys(context)
    .filter((key) => !key.startsWith(settingPrefix) && looksLikeSetting(key))
    .map((key) => `${key} must be a key like ${settingPrefix}retention`);
  const misplaced = besideContext
    .filter(looksLikeSetting)
    .map((key) => `${key} must be under "context" in cdk.json`);

  const errors = [...invalid, ...misspelt, ...misplaced];
  if (errors.length > 0 || !result.success) {
    throw new SettingsError(`Bad settings: ${errors.join('; ')}.`);
  }
  return result.output;
}

function describeIssue({ type, path, input, message }: v.InferIssue<typeof schema>): string {
  if (!path) {
    return message;
  }
  const error = `${settingPrefix}${path[0].key} ${message}`;
  return type === 'strict_object' ? error : `${error}, not ${JSON.stringify(input)}`;
}

/** Returns whether a key is the name of a setting, or resembles the prefix, like `plantStore:`. */
const looksLikeSetting = (key: string): boolean =>
  names.includes(key) || /^plants?[-_ ]?stores?([-_.:/]|$)/i.test(key);

export class SettingsError extends Error {
  override name = 'SettingsError';
}
