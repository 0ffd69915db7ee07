import { refuse } from './failure.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the object's own member, ignoring its prototype. */
export function memberOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * Parses a JSON object that is written exactly as `JSON.stringify` does. So no member is repeated, which readers would
 * understand differently, and each number and character has one form.
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

/** The members of an object in order, each with its check. */
interface Format {
  readonly [name: string]: Check<unknown> | Format;
}

interface VersionedFormat extends Format {
  readonly v: Check<number>;
}

/** The type of a value with the format. */
export type Formatted<F extends Format> = {
  readonly [Name in keyof F]: F[Name] extends Check<infer Value>
    ? Value
    : F[Name] extends Format
      ? Formatted<F[Name]>
      : never;
};

/** Returns true if the object has exactly these members in this order. */
function hasFormat<F extends Format>(value: unknown, format: F): value is Formatted<F> {
  if (!isObject(value)) return false;
  const names = Object.keys(format);
  const found = Object.keys(value);
  return (
    found.length === names.length &&
    names.every((name, place) => {
      const check = format[name] as F[string];
      const member = value[name];
      return (
        found[place] === name &&
        (typeof check === 'function' ? check(member) : hasFormat(member, check))
      );
    })
  );
}

export const isFirstVersion = (value: unknown): value is 1 => value === 1;
export const isSecondVersion = (value: unknown): value is 2 => value === 2;
export const isOneOf =
  <const Value extends string>(...values: Value[]): Check<Value> =>
  (value): value is Value =>
    values.some((each) => each === value);
export const isText = (value: unknown): value is string => typeof value === 'string';
export const isEnvironment = isOneOf('live', 'test');
export const orNull =
  <Value>(check: Check<Value>): Check<Value | null> =>
  (value) =>
    value === null || check(value);

export const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(isText);

/** RFC 3339 in UTC with milliseconds, for example `2026-10-31T23:59:59.000Z`. */
export const isInstant = (value: unknown): value is string => {
  if (typeof value !== 'string') return false;
  const instant = new Date(value);
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === value;
};

/** Reads a payload by the format of its own version. */
export function readPayload<Formats extends readonly VersionedFormat[]>(
  payload: JsonObject,
  ...formats: Formats
): Formatted<Formats[number]> {
  const version = memberOf(payload, 'v');
  const format = formats.find(({ v }) => v(version));
  if (format === undefined) {
    refuse('unsupported_version', `version ${JSON.stringify(version)} of the format is not known`);
  }
  if (!hasFormat(payload, format)) {
    refuse('malformed_payload', `what was signed has not the form of version ${version}`);
  }
  return payload as Formatted<Formats[number]>;
}
