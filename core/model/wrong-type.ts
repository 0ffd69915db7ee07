import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

const jsonTypes: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  bigint: 'an integer',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const formats: Readonly<Record<string, string>> = {
  date: 'a date like 2026-11-02',
  datetime: 'a date and time with a time zone, like 2026-11-02T09:30:00Z',
  email: 'an email address',
};

/**
 * Describes a missing value, a wrong type or a wrong format as the end of a sentence. Examples: `is missing`, `must be
 * a string, not a number`. Returns undefined for other problems.
 */
export function describeWrongType(issue: Issue, input: unknown): string | undefined {
  const format = formatOf(issue);
  if (format !== undefined) return `must be ${format}`;
  const expected = [...new Set(expectedOf(issue))];
  if (expected.length === 0) return undefined;
  const value = valueAt(input, issue.path);
  if (value === undefined) return 'is missing';
  if (value instanceof Date) return undefined;
  const actual = typeNameOf(value);
  if (expected.includes(actual)) return undefined;
  if (actual === 'a number' && expected.includes('an integer')) return 'must be an integer';
  return `must be ${expected.join(' or ')}, not ${actual}`;
}

/** Expects a JSON value, or the result of JSON.rawJSON. */
export function typeNameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (JSON.isRawJSON(value)) return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function formatOf(issue: Issue): string | undefined {
  if (issue.code === 'invalid_union') return issue.errors.flat().map(formatOf).find(Boolean);
  if (issue.code !== 'invalid_format') return undefined;
  return Object.hasOwn(formats, issue.format) ? formats[issue.format] : undefined;
}

function expectedOf(issue: Issue): string[] {
  switch (issue.code) {
    case 'invalid_type':
      return [jsonTypes[issue.expected]].filter((name) => name !== undefined);
    case 'invalid_value':
      return issue.values.map(typeNameOf);
    case 'invalid_union':
      return issue.errors.flatMap((issues) => issues.slice(0, 1).flatMap(expectedOf));
    default:
      return [];
  }
}

const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((value: unknown, step) => Reflect.get(Object(value), step), input);
