/** The company or investor that owns something. */
export type Owner = { readonly companyId: string } | { readonly investorId: string };

/** The owner whose things a use case may touch. Null for an operator, who isn't bound to one. */
export type OwnerOrOperator = Owner | null;

/** Returns true if the owner takes part in something between an investor and a company. */
export function isOwned(
  thing: { readonly companyId: string; readonly investorId: string },
  owner: OwnerOrOperator,
): boolean {
  if (owner === null) return true;
  return 'companyId' in owner
    ? owner.companyId === thing.companyId
    : owner.investorId === thing.investorId;
}

export const isSameOwner = (one: Owner, other: Owner): boolean =>
  'companyId' in one
    ? 'companyId' in other && one.companyId === other.companyId
    : 'investorId' in other && one.investorId === other.investorId;

/** Returns only the owner's ID of a larger object. */
export const ownerOf = (owner: Owner): Owner =>
  'companyId' in owner ? { companyId: owner.companyId } : { investorId: owner.investorId };
