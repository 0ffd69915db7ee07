import { type CallerUseCases, companyInput, listPortfolioInput } from '#core';
import { checked, procedure } from './procedures.ts';

export const companyProcedures = (useCases: CallerUseCases) => ({
  /** The companies of your portfolio, by name, each with the access that you have now. Needs no grant. */
  list: procedure
    .input(checked(listPortfolioInput.optional()))
    .query(({ ctx, input }) => useCases.listPortfolio(ctx.caller, input)),

  /** One company of your portfolio. */
  get: procedure
    .input(checked(companyInput))
    .query(({ ctx, input }) => useCases.readPortfolioCompany(ctx.caller, input.companyId)),
});
