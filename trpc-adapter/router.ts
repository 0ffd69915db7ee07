import type { CallerUseCases } from '#core';
import { accessRequestProcedures } from './access-requests.ts';
import { accountProcedures } from './accounts.ts';
import { companyProcedures } from './companies.ts';
import { metricProcedures } from './metrics.ts';
import { router } from './procedures.ts';
import { sourceProcedures } from './sources.ts';

// Named by reference, so that what is said of each procedure reaches the client.
type Procedures = {
  companies: ReturnType<typeof companyProcedures>;
  accessRequests: ReturnType<typeof accessRequestProcedures>;
  metrics: ReturnType<typeof metricProcedures>;
  sources: ReturnType<typeof sourceProcedures>;
  accounts: ReturnType<typeof accountProcedures>;
};

export type AppRouter = ReturnType<typeof router<Procedures>>;

export const createRouter = (useCases: CallerUseCases): AppRouter =>
  router({
    companies: companyProcedures(useCases),
    accessRequests: accessRequestProcedures(useCases),
    metrics: metricProcedures(useCases),
    sources: sourceProcedures(useCases),
    accounts: accountProcedures(useCases),
  });
