import { ensure } from '../errors.ts';
import type { Owner } from '../identity/owner.ts';

/** The target of an erasure: all texts of a company or an investor, or the address of one person. */
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
 * Rejects a change to an erased company or investor, which must stay renamed and suspended. The erasure is visible only
 * in the name. So a repository must lock the row and check the name before each change.
 *
 * @throws AccessError `invalid_parameter`
 */
export function requireNotErased(party: { readonly id: string; readonly name: string }): void {
  ensure(!isErased(party), 'invalid_parameter', `${party.id} was erased, so it can’t be changed`);
}

/**
 * Replaces the text if it must be erased. For a company or an investor, every text must be erased. For a person, every
 * text with the person's address must be erased.
 */
export function eraseText<Text extends string | null>(erased: Erased, text: Text): Text | string {
  if (text === null) return text;
  const isCovered = !('email' in erased) || hasAddress(text, erased.email);
  return isCovered ? erasedText : text;
}

/**
 * Returns true if the text contains this address, and not only as part of a longer address. For example,
 * `joann@fund.com` contains the letters of `ann@fund.co`, but is another person's address. A punctuation mark next to
 * the address belongs to it only if a letter or a digit is on the mark's other side. So quotes and full stops end an
 * address.
 *
 * @param email must be in lower case
 */
export function hasAddress(text: string, email: string): boolean {
  const whole = `(?<![\\p{L}\\p{N}][.'_+-]?)${RegExp.escape(email)}(?![.-]?[\\p{L}\\p{N}])`;
  return new RegExp(whole, 'u').test(text.toLowerCase());
}
