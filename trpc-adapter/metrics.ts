import { type CallerUseCases, latestMetricsInput, metricHistoryInput, metricInput } from '#core';
import { checked, procedure } from './procedures.ts';

export const metricProcedures = (useCases: CallerUseCases) => ({
  /**
   * The latest value of every metric of a company, by key; with `keys`, of those alone. Needs the scope `metrics:read`
   * and a live grant.
   */
  latest: procedure
    .input(checked(latestMetricsInput))
    .query(({ ctx, input }) => useCases.readLatestMetrics(ctx.caller, input)),

  /** The latest value of one metric. Needs the scope `metrics:read` and a live grant. */
  byKey: procedure
    .input(checked(metricInput))
    .query(({ ctx, input }) => useCases.readLatestMetric(ctx.caller, input)),

  /**
   * The values of one metric, oldest first, from one period to another, both included; empty when the company has no
   * data for the key. Needs the scope `metrics:read` and a live grant.
   */
  history: procedure
    .input(checked(metricHistoryInput))
    .query(({ ctx, input }) => useCases.readMetricHistory(ctx.caller, input)),
});
