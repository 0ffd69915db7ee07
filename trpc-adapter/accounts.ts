import { type CallerUseCases, companyInput } from '#core';
import { checked, procedure } from './procedures.ts';

export const accountProcedures = (useCases: CallerUseCases) => ({
  /** The financial accounts of a company. Needs the scope `accounts:read` and a live grant. */
  list: procedure
    .input(checked(companyInput))
    .query(({ ctx, input }) => useCases.readAccounts(ctx.caller, input.companyId)),
});
