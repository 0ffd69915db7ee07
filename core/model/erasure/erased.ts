import { ensure } from '../errors.ts';
import type { Owner } from '../identity/owner.ts';

/** The subject of an erasure: a company or an investor with all texts that people wrote, or one person's address. */
export type Erased = Owner | { readonly email: string };

export const erasedText = '[erased]';

export const erasedName = (owner: Owner): string =>
  'companyId' in owner
    ? `Erased company ${owner.companyId}`
    : `Erased investor ${owner.investorId}`;

export const erasedPerson = (contactId: string | null): string => `Erased person ${contactId}`;

export const isErased = ({ id, name }: { readonly id: string; readonly name: string }): boolean =>
  name === erasedName({ companyId: id }) || name === erasedName({ investorId: id });

/**
 * Keeps an erased company or investor as it is: renamed and suspended. The name is the only mark of the erasure, so a
 * repository checks the locked row before a change.
 *
 * @throws AccessError `invalid_parameter`
 */
export function requireNotErased(party: { readonly id: string; readonly name: string }): void {
  ensure(!isErased(party), 'invalid_parameter', `${party.id} was erased, so it can’t be changed`);
}

/** Replaces the text if the erasure covers it. The erasure of a company or an investor covers every text. */
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
