import fc from 'fast-check';
import { nastyText } from '../requests.ts';

/** Draws a value from an arbitrary of fast-check. A request consists of many such values. */
export type Draw = <T>(arbitrary: fc.Arbitrary<T>) => T;

/** IDs and metric keys for requests: of the caller, of others, and unknown ones. */
export interface Pool {
  readonly ids: readonly string[];
  readonly metricKeys: readonly string[];
}

export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly raw?: string;
}

export const chance = (draw: Draw, percent: number): boolean =>
  draw(fc.integer({ min: 1, max: 100 })) <= percent;

export function pick<T>(draw: Draw, from: readonly T[]): T {
  return from[draw(fc.nat({ max: from.length - 1 }))] as T;
}

const instants = ['2026-10-31', '2026-02-30', '2026-10-31T00:00:00Z', '0000-00-00', 'infinity'];

/** Draws a text for a schema without further rules. */
export function text(draw: Draw, { ids, metricKeys }: Pool): string {
  const kind = draw(fc.nat({ max: 9 }));
  if (kind < 5) return pick(draw, ids);
  if (kind < 7) return pick(draw, metricKeys);
  return kind === 7 ? pick(draw, instants) : draw(nastyText);
}

/** Draws a value of any type, for a place where the schema has another type. */
export function wrong(draw: Draw): unknown {
  return draw(fc.oneof(fc.jsonValue({ maxDepth: 2 }), nastyText, fc.double()));
}

export const json = (value: unknown) => ({
  headers: { 'content-type': 'application/json' },
  raw: JSON.stringify(value),
});

/** Deletes, duplicates or changes a part of a valid text. */
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
