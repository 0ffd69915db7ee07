import { type CompanyAccess, companyInput, type GrantableScope, listPortfolioInput } from '#core';
import { presentCompany } from '#http';
import { procedure, shown } from './procedures.ts';

/** A company of the portfolio, as the key's investor sees it. */
export interface Company {
  readonly id: string;
  readonly name: string;
  /** From the newest access request; a declined or expired one counts as none. */
  readonly access: CompanyAccess;
  /** Id of the newest access request; null without one. */
  readonly accessRequestId: string | null;
  /** Present while access is approved, and only then. */
  readonly grant: {
    readonly approvedScopes: GrantableScope[];
    /** RFC 3339. */
    readonly expiresAt: string;
  } | null;
}

export const companyProcedures = {
  /** The companies of your portfolio, by name, each with the access that you have now. Needs no grant. */
  list: procedure
    .input(shown(listPortfolioInput.optional()))
    .query(
      async ({ ctx: { useCases, caller }, input }): Promise<Company[]> =>
        (await useCases.listPortfolio(caller, input)).map(presentCompany),
    ),

  /** One company of your portfolio. */
  get: procedure
    .input(shown(companyInput))
    .query(
      async ({ ctx: { useCases, caller }, input }): Promise<Company> =>
        presentCompany(await useCases.readPortfolioCompany(caller, input)),
    ),
};
