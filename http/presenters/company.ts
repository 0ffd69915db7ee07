import type { PortfolioCompany } from '#core';

export function presentCompany({ id, name, access, grant }: PortfolioCompany) {
  return {
    id,
    name,
    access,
    grant: grant && {
      approvedScopes: [...grant.approvedScopes],
      expiresAt: grant.expiresAt.toISOString(),
    },
  };
}
