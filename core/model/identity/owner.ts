/** The company or investor that owns a key, a contact or another thing. */
export type Owner = { readonly companyId: string } | { readonly investorId: string };

/** The owner whose things a use case can access. Null means an operator, who can access the things of all owners. */
export type OwnerOrOperator = Owner | null;

/** Returns true if the thing belongs to the owner. A thing can belong to both a company and an investor. */
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

/** Returns an object with only the owner's ID. */
export const ownerOf = (owner: Owner): Owner =>
  'companyId' in owner ? { companyId: owner.companyId } : { investorId: owner.investorId };
