import { type CallerUseCases, companyInput } from '#core';
import { checked, procedure } from './procedures.ts';

export const sourceProcedures = (useCases: CallerUseCases) => ({
  /** The data sources that a company has connected. Needs the scope `sources:read` and a live grant. */
  list: procedure
    .input(checked(companyInput))
    .query(({ ctx, input }) => useCases.readSources(ctx.caller, input.companyId)),
});
