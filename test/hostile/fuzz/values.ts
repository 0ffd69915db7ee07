import fc from 'fast-check';

/** Many bodies contain this text. Log lines and answers must not, because they must not repeat a body. */
export const bodyMark = 'body-mark-7f3a';

export const prototypeNames = ['__proto__', 'constructor', 'prototype', 'toString', 'then'];

export const nastyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    ...[...prototypeNames, '\u0000', 'a\u0000b', '\ud800', '\u202e\u200b\ufeff'],
    ...["'; drop table companies; --", '{{7*7}}', '$%7Bjndi:ldap://x%7D', '../../etc/passwd'],
    ...['<script>alert(1)</script>', '%s%n', '-1', 'null', 'NaN', '1e309', '9'.repeat(400)],
  ),
  fc.nat({ max: 6000 }).map((length) => 'x'.repeat(length)),
);

/** Draws a value from a fast-check arbitrary. Many drawn values form one request. */
export type Draw = <T>(arbitrary: fc.Arbitrary<T>) => T;

/** The caller's, other callers' and unknown IDs and metric keys. */
export interface Pool {
  readonly ids: readonly string[];
  readonly metricKeys: readonly string[];
}

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly raw?: string | Buffer;
}

export const chance = (draw: Draw, percent: number): boolean =>
  draw(fc.integer({ min: 1, max: 100 })) <= percent;

export function pick<T>(draw: Draw, from: readonly T[]): T {
  return from[draw(fc.nat({ max: from.length - 1 }))] as T;
}

const instants = ['2026-10-31', '2026-02-30', '2026-10-31T00:00:00Z', '0000-00-00', 'infinity'];

/** Draws a text for a schema that has no further rules. */
export function text(draw: Draw, { ids, metricKeys }: Pool): string {
  const kind = draw(fc.nat({ max: 9 }));
  if (kind < 5) return pick(draw, ids);
  if (kind < 7) return pick(draw, metricKeys);
  return kind === 7 ? pick(draw, instants) : draw(nastyText);
}

/** Draws a value of any type, to replace a value of the correct type. */
export function wrong(draw: Draw): unknown {
  return draw(fc.oneof(fc.jsonValue({ maxDepth: 2 }), nastyText, fc.double()));
}

/** Some bodies have members that would change an object's prototype if code copied them carelessly. */
export function json(draw: Draw, value: unknown) {
  const raw = JSON.stringify(value);
  const headers = { 'content-type': 'application/json' };
  return { headers, raw: chance(draw, 4) ? polluting(raw) : raw };
}

export const polluting = (body: string): string =>
  body.replace(
    '{',
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},',
  );

export const encode = (value: string): string => encodeURIComponent(value.toWellFormed());

/** Deletes, duplicates or changes a piece of a valid text. */
export function mutate(draw: Draw, given: string): string {
  const at = draw(fc.nat({ max: given.length }));
  const length = draw(fc.nat({ max: 12 }));
  const piece = given.slice(at, at + length);
  const put = pick(draw, [
    '',
    '',
    piece + piece,
    draw(nastyText).slice(0, 40),
    '{',
    '}',
    '"',
    '\\',
  ]);
  return given.slice(0, at) + put + given.slice(at + length);
}
