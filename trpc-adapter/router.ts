import type { TRPCBuiltRouter } from '@trpc/server';
import { accessRecordProcedures } from './access-records.ts';
import { accessRequestSubscriptions } from './access-request-changes.ts';
import { accessRequestProcedures } from './access-requests.ts';
import { accountProcedures } from './accounts.ts';
import { apiKeyProcedures } from './api-key.ts';
import { companyProcedures } from './companies.ts';
import { companySubscriptions } from './company-data-changes.ts';
import type { ErrorShape } from './errors.ts';
import { metricProcedures } from './metrics.ts';
import { router } from './procedures.ts';
import { sourceProcedures } from './sources.ts';
import { webhookEndpointProcedures } from './webhook-endpoints.ts';

// With `typeof`, the JSDoc of the procedures reaches the client.
type Procedures = {
  companies: typeof companyProcedures & typeof companySubscriptions;
  accessRequests: typeof accessRequestProcedures & typeof accessRequestSubscriptions;
  metrics: typeof metricProcedures;
  sources: typeof sourceProcedures;
  accounts: typeof accountProcedures;
  accessRecords: typeof accessRecordProcedures;
  apiKey: typeof apiKeyProcedures;
  webhookEndpoints: typeof webhookEndpointProcedures;
};

/** The type of the router, for users of tRPC's own clients. */
// The type has no context, because the context contains internal types.
export type AppRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ErrorShape; transformer: false },
  Procedures
>;

export const appRouter = router<Procedures>({
  companies: { ...companyProcedures, ...companySubscriptions },
  accessRequests: { ...accessRequestProcedures, ...accessRequestSubscriptions },
  metrics: metricProcedures,
  sources: sourceProcedures,
  accounts: accountProcedures,
  accessRecords: accessRecordProcedures,
  apiKey: apiKeyProcedures,
  webhookEndpoints: webhookEndpointProcedures,
});
