import type { RawBuilder } from 'kysely';
import { type Decimal, parseDecimal, type Scope } from '#core';
import { sql } from '../store.ts';

/** Column values as the driver hands them over, and the domain values that they stand for. */

export function toInstant(text: string): Date {
  return new Date(text);
}

export function toInstantOrNull(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/** PostgreSQL keeps the scale that was written (`1.50`); the core's form is the shortest. */
export function toDecimal(text: string): Decimal {
  const decimal = parseDecimal(text);
  if (decimal === null) throw new Error(`the database holds an amount beyond all bounds: ${text}`);
  return decimal;
}

/** Scopes as the text of an array, `{metrics:read,sources:read}`; there are few combinations, so each is made once. */
export function toScopes<S extends Scope>(text: string): readonly S[] {
  const known = scopeLists.get(text);
  if (known !== undefined) return known as readonly S[];
  const list = text === '{}' ? [] : (text.slice(1, -1).split(',') as S[]);
  scopeLists.set(text, Object.freeze(list));
  return list;
}

const scopeLists = new Map<string, readonly Scope[]>();

export function toHex(bytes: Buffer): string {
  return bytes.toString('hex');
}

export function toBytes(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}

/**
 * A parameter that holds many texts, none of which may be empty or have a comma in it: identifiers, digests, names out
 * of a list, instants. For the driver's own arrays it looks at every character.
 *
 * For `unnest` of several lists, the first of which holds no null: PostgreSQL fills up what is shorter with nulls, as a
 * list of one null alone is, and a comma too many makes a row without its first column, which fails the statement or
 * the count of its answers.
 */
export function textList(texts: readonly (string | null)[]): RawBuilder<string[]> {
  return sql`string_to_array(${texts.join(',')}, ',', '')`;
}
