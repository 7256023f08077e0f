import { NumberValue } from '@aws-sdk/lib-dynamodb';

/**
 * Notes what is wrong with a value. `place` is a JSON pointer within it. Returns undefined, so that
 * a kind can refuse and return at once.
 */
export type Refuse = (detail: string, place?: string) => undefined;

export type JsonSchema = Record<string, unknown>;

/** A kind of value: all that is known of it, wherever it is used. */
export interface ValueKind<T> {
  /** Accepts a value of a JSON body, as `parseJsonObject` reads it. */
  fromJson(given: unknown, refuse: Refuse): T | undefined;
  /** Accepts what a path or a query gives: a text, or a list if it was given several times. */
  fromParameter(given: unknown, refuse: Refuse): T | undefined;
  /** Returns what a query gives for this value. */
  toParameter(value: T): string[];
  /** Returns what the table holds. */
  toStored(value: T): unknown;
  /**
   * Reads what the table holds, also if another version wrote it, whose bounds may be others.
   * Returns undefined for a value of another type.
   */
  fromStored(stored: unknown): T | undefined;
  isSame(one: T, other: T): boolean;
  /** Returns its JSON Schema, which says everything but prose. */
  schema(): JsonSchema;
  /** What its JSON Schema cannot show by bounds. At least two are good. */
  samples(): Samples<T>;
}

export interface Samples<T> {
  good: [T, T, ...T[]];
  bad: unknown[];
}

const isSame = (one: unknown, other: unknown) => one === other;
const asItIs = <T>(value: T) => value;
const inDigits = (value: unknown) => [`${value}`];

/** Makes of what reads a text what reads a parameter, which must be given once. */
export const once =
  <T>(read: (text: string, refuse: Refuse) => T | undefined): ValueKind<T>['fromParameter'] =>
  (given, refuse) => {
    if (typeof given === 'string') {
      return read(given, refuse);
    }
    return refuse(Array.isArray(given) ? 'must be given only once' : 'must be a string');
  };

/**
 * Returns a kind whose values are texts, in bodies, in parameters and in the table. `accept` notes
 * what is wrong with one, and returns whether it is right.
 */
function textual<T extends string>(
  accept: (given: string, refuse: Refuse) => boolean,
  schema: JsonSchema,
  samples: () => Samples<T>,
): ValueKind<T> {
  function read(given: unknown, refuse: Refuse): T | undefined {
    if (typeof given !== 'string') {
      return refuse('must be a string');
    }
    return accept(given, refuse) ? (given as T) : undefined;
  }
  return {
    fromJson: read,
    fromParameter: once(read),
    toParameter: (value) => [value],
    toStored: asItIs,
    fromStored: (stored) => (typeof stored === 'string' ? (stored as T) : undefined),
    isSame,
    schema: () => ({ type: 'string', ...schema }),
    samples,
  };
}

/** A text of so many code points. */
export function text(minLength: number, maxLength: number): ValueKind<string> {
  // With the u flag, a dot matches a code point and `\p{Cs}` only a lone surrogate.
  const length = new RegExp(`^.{${minLength},${maxLength}}$`, 'su');
  // Without `\p{…}` and surrogates, so that Python, Java, Rust and JavaScript read it alike.
  const pattern = '^[^\\u0000-\\u001F\\u007F-\\u009F\\uFFFD]*$';
  const ofLength = (start: string) => start.padEnd(minLength, '-').slice(0, maxLength);
  return textual(
    (given, refuse) => {
      const fits = length.test(given);
      if (!fits) {
        refuse(`must be ${minLength} to ${maxLength} code points long`);
      }
      const isReadable = /^[^\p{Cc}\p{Cs}\uFFFD]*$/u.test(given);
      if (!isReadable) {
        refuse('must be well-formed Unicode without control characters and without U+FFFD');
      }
      return fits && isReadable;
    },
    { pattern, minLength, maxLength },
    () => ({
      good: [ofLength('Aloe'), ofLength('Ficus')],
      bad: ['\0', '\n', '\x7F', '\x85', '\uFFFD'].map(ofLength),
    }),
  );
}

/** One of some texts. An item of another version may hold one that this version does not know. */
export function oneOf<T extends string>(first: T, second: T, ...others: T[]): ValueKind<T> {
  const values = [first, second, ...others];
  return textual(
    (given, refuse) => {
      const isKnown = values.includes(given as T);
      if (!isKnown) {
        refuse(`must be ${values.join(' or ')}`);
      }
      return isKnown;
    },
    { enum: values },
    () => ({ good: [first, second, ...others], bad: [`${first}-`] }),
  );
}

/** A time in UTC to the second, which has one spelling. */
export function time(): ValueKind<string> {
  const date = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])';
  const pattern = `^${date}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$`;
  const form = new RegExp(pattern);
  // A date that no calendar has, like 30 February, becomes another one or an invalid one.
  const exists = (given: string) => new Date(given).toJSON() === given.replace('Z', '.000Z');
  return textual(
    (given, refuse) => {
      const isTime = form.test(given) && exists(given);
      if (!isTime) {
        refuse('must be a time in UTC, like 2026-11-22T15:04:05Z');
      }
      return isTime;
    },
    { format: 'date-time', pattern },
    () => ({
      good: ['2026-11-22T15:04:05Z', '2024-02-29T00:00:00Z'],
      bad: ['2026-02-29T00:00:00Z', '2026-11-22T15:04:05+01:00', '2026-11-22', ''],
    }),
  );
}

const canonical = /^(?:0|-?[1-9][0-9]*)$/;

/** Accepts the digits of a parameter in one spelling only, so that an item has one URL. */
function fromDigits<T>(
  accept: (integer: bigint, refuse: Refuse) => T | undefined,
): ValueKind<T>['fromParameter'] {
  return once((text, refuse) =>
    canonical.test(text)
      ? accept(BigInt(text), refuse)
      : refuse('must be an integer in canonical decimal digits, like 7 or -7'),
  );
}

function inRange<N extends bigint | number>(
  value: N,
  least: N,
  most: N,
  refuse: Refuse,
): N | undefined {
  if (value < least) {
    return refuse(`must be at least ${least}`);
  }
  if (value > most) {
    return refuse(`must be at most ${most}`);
  }
  return value;
}

function integerInRange(
  given: unknown,
  least: bigint,
  most: bigint,
  refuse: Refuse,
): bigint | undefined {
  return typeof given === 'bigint'
    ? inRange(given, least, most, refuse)
    : refuse('must be an integer');
}

/** An int64, without loss of a digit. It cannot be a field, because JSON.stringify refuses it. */
export function int64(): ValueKind<bigint> {
  const least = -(2n ** 63n);
  const accept = (given: unknown, refuse: Refuse) =>
    integerInRange(given, least, -least - 1n, refuse);
  return {
    fromJson: accept,
    fromParameter: fromDigits(accept),
    toParameter: inDigits,
    toStored: asItIs,
    fromStored: (stored) => (stored instanceof NumberValue ? stored.toBigInt() : undefined),
    isSame,
    // Most readers would round its bounds, so that only the format tells them.
    schema: () => ({ type: 'integer', format: 'int64' }),
    samples: () => ({ good: [7n, 0n], bad: [] }),
  };
}

const numberFrom = (stored: unknown) =>
  stored instanceof NumberValue ? Number(stored.toString()) : undefined;

/** An integer within the bounds, which are within 2^53. */
export function integer(minimum: number, maximum: number): ValueKind<number> {
  function accept(given: unknown, refuse: Refuse): number | undefined {
    const integer = integerInRange(given, BigInt(minimum), BigInt(maximum), refuse);
    return integer === undefined ? undefined : Number(integer);
  }
  return {
    fromJson: accept,
    fromParameter: fromDigits(accept),
    toParameter: inDigits,
    toStored: asItIs,
    fromStored: numberFrom,
    isSame,
    schema: () => ({ type: 'integer', minimum, maximum }),
    samples: () => ({ good: [minimum, maximum], bad: [] }),
  };
}

/**
 * A number within the bounds, with so many decimals at most. Bounds and decimals have 15 digits
 * together at most, because a double holds no more.
 */
export function decimal(minimum: number, maximum: number, decimals: number): ValueKind<number> {
  const rule = `must be a number with at most ${decimals} decimals`;
  function accept(given: unknown, refuse: Refuse): number | undefined {
    const value = typeof given === 'bigint' ? Number(given) : given;
    if (typeof value !== 'number' || Number(value.toFixed(decimals)) !== value) {
      return refuse(rule);
    }
    return inRange(value, minimum, maximum, refuse);
  }
  return {
    fromJson: accept,
    fromParameter: once((text, refuse) => {
      const isCanonical = /^-?[0-9]+(?:\.[0-9]+)?$/.test(text) && `${Number(text)}` === text;
      return isCanonical
        ? accept(Number(text), refuse)
        : refuse('must be a number in canonical decimal digits, like 7 or 7.5');
    }),
    toParameter: inDigits,
    toStored: asItIs,
    fromStored: numberFrom,
    isSame,
    schema: () => ({ type: 'number', minimum, maximum, multipleOf: Number(`1e-${decimals}`) }),
    samples: () => ({ good: [minimum, maximum], bad: [minimum + Number(`1e-${decimals + 1}`)] }),
  };
}

/** True or false. */
export function flag(): ValueKind<boolean> {
  const accept = (given: unknown, refuse: Refuse) =>
    typeof given === 'boolean' ? given : refuse('must be true or false');
  return {
    fromJson: accept,
    fromParameter: once((text, refuse) => {
      if (text === 'true' || text === 'false') {
        return text === 'true';
      }
      return accept(text, refuse);
    }),
    toParameter: inDigits,
    toStored: asItIs,
    fromStored: (stored) => (typeof stored === 'boolean' ? stored : undefined),
    isSame,
    schema: () => ({ type: 'boolean' }),
    samples: () => ({ good: [true, false], bad: [] }),
  };
}

/** A list of a kind, in the order that the client gives. As a parameter it is given repeatedly. */
export function listOf<T>(kind: ValueKind<T>, maxItems: number): ValueKind<T[]> {
  /** Reads every item, and returns undefined if one of them is invalid. */
  function each(
    items: unknown[],
    read: (item: unknown, i: number) => T | undefined,
  ): T[] | undefined {
    const values = items.map(read).filter((value) => value !== undefined);
    return values.length === items.length ? values : undefined;
  }
  function accept(given: unknown, read: ValueKind<T>['fromJson'], refuse: Refuse): T[] | undefined {
    if (!Array.isArray(given)) {
      return refuse('must be a list');
    }
    if (given.length > maxItems) {
      refuse(`must have at most ${maxItems} items`);
    }
    return each(given, (item, i) =>
      read(item, (detail, place = '') => refuse(detail, `/${i}${place}`)),
    );
  }
  return {
    fromJson: (given, refuse) => accept(given, kind.fromJson, refuse),
    fromParameter: (given, refuse) =>
      accept(Array.isArray(given) ? given : [given], kind.fromParameter, refuse),
    toParameter: (values) => values.flatMap(kind.toParameter),
    toStored: (values) => values.map(kind.toStored),
    fromStored: (stored) => (Array.isArray(stored) ? each(stored, kind.fromStored) : undefined),
    isSame: (one, other) =>
      one.length === other.length && one.every((item, i) => kind.isSame(item, other[i] as T)),
    schema: () => ({ type: 'array', maxItems, items: kind.schema() }),
    samples() {
      const { good, bad } = kind.samples();
      return { good: [good.slice(0, maxItems), []], bad: bad.map((item) => [item]) };
    },
  };
}
