import { type Decimal, parseDecimal, type Scope } from '#core';

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
