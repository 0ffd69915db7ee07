import { type CompanyAccess, companyInput, type GrantableScope, listPortfolioInput } from '#core';
import { presentCompany } from '#http';
import { procedure, showInput } from './procedures.ts';

/** A company in your portfolio. */
export interface Company {
  /** ID of the company. */
  readonly id: string;
  /** Name of the company. */
  readonly name: string;
  /** Your access, from your newest access request. A declined or expired request counts as no request. */
  readonly access: CompanyAccess;
  /** True while the company pauses the grant. Meanwhile, no read is allowed. */
  readonly accessPaused: boolean;
  /** ID of the newest access request. Null if none exists. */
  readonly accessRequestId: string | null;
  /** The grant. Null unless access is approved. */
  readonly grant: CompanyGrant | null;
}

interface CompanyGrant {
  /** The granted scopes. */
  readonly approvedScopes: GrantableScope[];
  /** The end of the grant, in RFC 3339. */
  readonly expiresAt: string;
}

export const companyProcedures = {
  /** Returns the companies of your portfolio, sorted by name, with your present access. Needs no grant. */
  list: procedure
    .input(showInput(listPortfolioInput.optional()))
    .query(
      async ({ ctx: { useCases, caller }, input }): Promise<Company[]> =>
        (await useCases.listPortfolio(caller, input)).map(presentCompany),
    ),

  /** Returns one company of your portfolio. */
  get: procedure
    .input(showInput(companyInput))
    .query(
      async ({ ctx: { useCases, caller }, input }): Promise<Company> =>
        presentCompany(await useCases.readPortfolioCompany(caller, input)),
    ),
};
