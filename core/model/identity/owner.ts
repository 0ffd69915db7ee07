/** The company or investor that owns something. */
export type Owner = { readonly companyId: string } | { readonly investorId: string };

/** The owner whose things a use case can read or change. Null stands for an operator, who isn't bound to an owner. */
export type OwnerOrOperator = Owner | null;

/** Returns true if the owner is the company or the investor of a thing that both share. */
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

/** Removes all other fields of an object with an owner's ID. */
export const ownerOf = (owner: Owner): Owner =>
  'companyId' in owner ? { companyId: owner.companyId } : { investorId: owner.investorId };
