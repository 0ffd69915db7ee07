import type { Decimal } from '#core';

// Source: the ECMAScript proposal "JSON.parse source text access", which the compiler's library does not know yet.
declare global {
  interface JSON {
    rawJSON(text: string): object;
  }
}

/** A JSON number with exactly these digits, however many there are. */
export function presentAmount(amount: Decimal): number {
  return JSON.rawJSON(amount) as unknown as number;
}
