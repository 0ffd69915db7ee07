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

type Check = (value: unknown) => boolean;

/** The members of an object in their order, each with what it must be. */
export interface Format {
  readonly [name: string]: Check | Format;
}

/** Whether the object has these members in this order, and no others. */
function hasFormat(value: unknown, format: Format): boolean {
  if (!isObject(value)) return false;
  const names = Object.keys(format);
  const found = Object.keys(value);
  return (
    found.length === names.length &&
    names.every((name, place) => {
      const check = format[name] as Check | Format;
      const member = value[name];
      return (
        found[place] === name &&
        (typeof check === 'function' ? check(member) : hasFormat(member, check))
      );
    })
  );
}

export const isText: Check = (value) => typeof value === 'string';
export const isEnvironment: Check = (value) => value === 'live' || value === 'test';
export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

export const isTextList: Check = (value) => Array.isArray(value) && value.every(isText);

/** RFC 3339 in UTC with milliseconds, as in `2026-10-31T23:59:59.000Z`. */
export const isInstant: Check = (value) => {
  if (typeof value !== 'string') return false;
  const instant = new Date(value);
  return !Number.isNaN(instant.getTime()) && instant.toISOString() === value;
};

/** Checks the payload of a format with a version. */
export function checkPayload(payload: JsonObject, format: Format): void {
  const version = memberOf(payload, 'v');
  if (version !== 1) {
    refuse('unsupported_version', `version ${JSON.stringify(version)} of the format is not known`);
  }
  if (!hasFormat(payload, format)) {
    refuse('malformed_payload', 'what was signed has not the form of version 1');
  }
}
