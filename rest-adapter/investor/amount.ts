import type { Decimal } from '#core';

/** A JSON number with exactly these digits, however many there are. */
export function presentAmount(amount: Decimal): number {
  return JSON.rawJSON(amount) as unknown as number;
}
