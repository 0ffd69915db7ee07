import { refuse } from './failure.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Ignores members of the object's prototype. */
export function readMember(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * The text must equal the output of `JSON.stringify`, so that each value has only one spelling. Also rejects a repeated
 * member, because programs would understand it differently.
 */
export function parseCanonical(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && JSON.stringify(value) === text ? value : null;
  } catch {
    return null;
  }
}

type Check<Value> = (value: unknown) => value is Value;

interface Format {
  readonly [name: string]: Check<unknown> | Format;
}

interface VersionedFormat extends Format {
  readonly v: Check<number>;
}

export type Formatted<F extends Format> = {
  readonly [Name in keyof F]: F[Name] extends Check<infer Value>
    ? Value
    : F[Name] extends Format
      ? Formatted<F[Name]>
      : never;
};

/** The order of the members matters. */
function hasFormat<F extends Format>(value: unknown, format: F): value is Formatted<F> {
  if (!isObject(value)) return false;
  const names = Object.keys(format);
  const found = Object.keys(value);
  return (
    found.length === names.length &&
    names.every((name, index) => {
      const check = format[name] as F[string];
      const member = value[name];
      return (
        found[index] === name &&
        (typeof check === 'function' ? check(member) : hasFormat(member, check))
      );
    })
  );
}

export const isOneOf =
  <const Value>(...values: Value[]): Check<Value> =>
  (value): value is Value =>
    values.some((each) => each === value);
export const isText = (value: unknown): value is string => typeof value === 'string';
export const isEnvironment = isOneOf('live', 'test');
export const allowNull =
  <Value>(check: Check<Value>): Check<Value | null> =>
  (value) =>
    value === null || check(value);

export const isListOf =
  <Value>(check: Check<Value>): Check<readonly Value[]> =>
  (value): value is readonly Value[] =>
    Array.isArray(value) && value.every(check);
export const isTextList = isListOf(isText);
export const hasOneOf =
  <const Formats extends readonly Format[]>(...formats: Formats) =>
  (value: unknown): value is Formatted<Formats[number]> =>
    formats.some((format) => hasFormat(value, format));

/** Accepts RFC 3339 in UTC with milliseconds, for example `2026-10-31T23:59:59.000Z`. */
export const isInstant = (value: unknown): value is string => {
  if (typeof value !== 'string') return false;
  const instant = new Date(value);
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === value;
};

/** Accepts a date, for example `2026-10-31`. */
export const isDay = (value: unknown): value is string => isInstant(`${value}T00:00:00.000Z`);

export function readPayload<Formats extends readonly VersionedFormat[]>(
  payload: JsonObject,
  ...formats: Formats
): Formatted<Formats[number]> {
  const version = readMember(payload, 'v');
  const format = formats.find(({ v }) => v(version));
  if (format === undefined) {
    refuse('unsupported_version', `the format version ${JSON.stringify(version)} is unknown`);
  }
  if (!hasFormat(payload, format)) {
    refuse('malformed_payload', `the signed payload doesn’t have the format of version ${version}`);
  }
  return payload as Formatted<Formats[number]>;
}
