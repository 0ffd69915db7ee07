import { ensure } from '../errors.ts';
import type { Owner } from '../identity/owner.ts';

/** The subject of an erasure: a company or an investor with all texts that people wrote, or one person's address. */
export type Erased = Owner | { readonly email: string };

/** Replaces a text that a person wrote. */
export const erasedText = '[erased]';

/** Replaces the name of a company or an investor. */
export const erasedName = (owner: Owner): string =>
  'companyId' in owner
    ? `Erased company ${owner.companyId}`
    : `Erased investor ${owner.investorId}`;

/** Replaces the address of a person. */
export const erasedPerson = (contactId: string | null): string => `Erased person ${contactId}`;

/** An erased company or investor is recognised by its name. Its name can't be changed again. */
export const isErased = ({ id, name }: { readonly id: string; readonly name: string }): boolean =>
  name === erasedName({ companyId: id }) || name === erasedName({ investorId: id });

/**
 * An erased company or investor keeps its pseudonym and stays suspended. The pseudonym is the only mark, so a store checks
 * it on the locked row before a change.
 *
 * @throws AccessError `invalid_parameter`
 */
export function requireNotErased(party: { readonly id: string; readonly name: string }): void {
  ensure(!isErased(party), 'invalid_parameter', `${party.id} was erased, so it stays as it is`);
}

/** Returns the text, or its replacement if the erasure covers it. A company's or an investor's erasure covers every text. */
export function eraseText<Text extends string | null>(erased: Erased, text: Text): Text | string {
  if (text === null) return text;
  const isCovered = !('email' in erased) || hasAddress(text, erased.email);
  return isCovered ? erasedText : text;
}

/**
 * Returns true if the text contains the whole address. In `joann@fund.com`, `ann@fund.co` is part of another person's
 * address. A punctuation mark joins an address only to a letter or a digit, so quotes and full stops are boundaries.
 *
 * @param email in lower case
 */
export function hasAddress(text: string, email: string): boolean {
  const whole = `(?<![\\p{L}\\p{N}][.'_+-]?)${RegExp.escape(email)}(?![.-]?[\\p{L}\\p{N}])`;
  return new RegExp(whole, 'u').test(text.toLowerCase());
}
