/** A company or an investor, to which something belongs. */
export type Owner = { readonly companyId: string } | { readonly investorId: string };

/** Whose things an act may touch; null: anybody's, because an operator acts. */
export type Whose = Owner | null;

/** Whether something between an investor and a company is there for whoever acts. */
export function isOwned(
  thing: { readonly companyId: string; readonly investorId: string },
  whose: Whose,
): boolean {
  if (whose === null) return true;
  return 'companyId' in whose
    ? whose.companyId === thing.companyId
    : whose.investorId === thing.investorId;
}

export const isSameOwner = (one: Owner, other: Owner): boolean =>
  'companyId' in one
    ? 'companyId' in other && one.companyId === other.companyId
    : 'investorId' in other && one.investorId === other.investorId;

/** Nothing but the owner, of a caller that is more. */
export const ownerOf = (owner: Owner): Owner =>
  'companyId' in owner ? { companyId: owner.companyId } : { investorId: owner.investorId };
