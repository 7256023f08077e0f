import * as v from 'valibot';

const prefix = 'plant-store:';

/** A number that `holds`; context arrives as text from `-c`, as JSON from cdk.json. */
const number = (holds: (value: number) => boolean, message: string, initial: number) => {
  const written = v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number));
  return v.optional(
    v.pipe(v.union([written, v.number()], message), v.check(holds, message)),
    initial,
  );
};

const integer = (least: number, most: number, initial: number) =>
  number(
    (value) => Number.isInteger(value) && value >= least && value <= most,
    `must be an integer from ${least} to ${most}`,
    initial,
  );

const oneOf = <const T extends string>(choices: readonly T[], initial: T) =>
  v.optional(v.picklist(choices, `must be ${choices.join(' or ')}`), initial);

const writtenBoolean = v.pipe(
  v.picklist(['true', 'false']),
  v.transform((text) => text === 'true'),
);
const onOrOff = v.optional(v.union([writtenBoolean, v.boolean()], 'must be true or false'), false);

const text = (shape: RegExp, message: string) =>
  v.optional(v.pipe(v.string(message), v.regex(shape, message)));

/** https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html: no other number of days is taken. */
const retentionDays = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288,
  3653,
];

/** What a deployer can choose, by CDK context keys `plant-store:NAME`. */
const schema = v.object({
  /** Tells several copies in one account apart: part of the stack's name. */
  instance: text(/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/, 'must be 1 to 64 letters, digits and hyphens'),
  /** What becomes of the tables when the stack is destroyed. */
  retention: oneOf(['retain', 'destroy'], 'retain'),
  architecture: oneOf(['arm64', 'x86_64'], 'arm64'),
  /** MB for each function; CPU comes in proportion. At 512 MB a warm request is over in milliseconds and a cold one well under a second. */
  memory: integer(128, 10240, 512),
  /**
   * Requests a second that the gateway admits to each method, and how many at once
   * (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html).
   */
  'throttle-rate': integer(1, 10000, 50),
  'throttle-burst': integer(1, 5000, 100),
  /** Seconds for which the gateway remembers an authorizer's answer: that long a revoked token can live. */
  'authorizer-cache': integer(0, 300, 60),
  /** Days. */
  'log-retention': number(
    (days) => retentionDays.includes(days),
    `must be one of ${retentionDays.join(', ')}`,
    30,
  ),
  /** The one origin whose pages may call the API, or `*`. Left out: none. */
  'cors-origin': text(
    /^(\*|https?:\/\/[^\s/'"]+)$/,
    'must be an origin like https://example.com, or *',
  ),
  /** Who is told of alarms; AWS asks that person to confirm. Left out: nobody is. */
  'alarm-email': text(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'must be an e-mail address'),
  /** A line for each request at the gateway. It needs a role that an account and region have one of: docs/operations.md. */
  'access-log': onOrOff,
  /** Bundles for a debugger: with the names and lines of their sources. */
  'source-maps': onOrOff,
});

export type Settings = v.InferOutput<typeof schema>;

/** Reads the settings from CDK context, whose other keys are not ours to judge. Throws one line that names every unknown key and bad value. */
export function readSettings(context: Record<string, unknown>): Settings {
  const given = Object.fromEntries(
    Object.entries(context)
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => [key.slice(prefix.length), value]),
  );
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(schema.entries, name));
  const result = v.safeParse(schema, given);
  const faults = [
    ...unknown.map(
      (name) => `${prefix}${name} is unknown (there are ${Object.keys(schema.entries).join(', ')})`,
    ),
    ...(result.issues ?? []).map(
      (issue) =>
        `${prefix}${issue.path?.[0].key} ${issue.message}, not ${JSON.stringify(issue.input)}`,
    ),
  ];
  if (faults.length > 0 || !result.success)
    throw new SettingsError(`Bad settings: ${faults.join('; ')}.`);
  return result.output;
}

export class SettingsError extends Error {
  override name = 'SettingsError';
}
