import { refuse } from './failure.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of the object itself: what somebody put on a prototype is not there. */
export function memberOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * Reads a JSON object that is written in the one form of `JSON.stringify`. So it has no member twice, which readers
 * would understand differently, no space, and one form for each number and character.
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

/** The members of an object in their order, each with what it must be. */
interface Format {
  readonly [name: string]: Check<unknown> | Format;
}

interface VersionedFormat extends Format {
  readonly v: Check<number>;
}

/** What has the format. */
export type Formatted<F extends Format> = {
  readonly [Name in keyof F]: F[Name] extends Check<infer Value>
    ? Value
    : F[Name] extends Format
      ? Formatted<F[Name]>
      : never;
};

/** Whether the object has these members in this order, and no others. */
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

/** RFC 3339 in UTC with milliseconds, as in `2026-10-31T23:59:59.000Z`. */
export const isInstant = (value: unknown): value is string => {
  if (typeof value !== 'string') return false;
  const instant = new Date(value);
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === value;
};

/** The payload of a format with a version: of the one of these that its own version names. */
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
