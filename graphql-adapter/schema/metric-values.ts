import type { Metric } from '#core';
import { builder, type FieldBuilder } from './builder.ts';

/** What the latest value of a metric has in common with each value of its history. */
export const valueFields = (t: FieldBuilder<Metric>) => ({
  currency: t.exposeString('currency', { nullable: true }),
  period: t.expose('period', { type: 'Date' }),
  value: t.exposeString('value'),
  rawValue: t.expose('rawValue', { type: 'Decimal' }),
  source: t.expose('source', { type: 'MetricSource' }),
  verification: t.expose('verification', { type: 'Verification' }),
  confidence: t.exposeString('confidence'),
  asOf: t.expose('asOf', { type: 'DateTime' }),
  revision: t.exposeInt('revision'),
});

/** Reads what the value of one period was before it was corrected. */
export const revisionsField = (t: FieldBuilder<Metric>) =>
  t.field({
    type: ['MetricRevision'],
    nullable: true,
    cost: { reads: 'gatedList', items: 2 },
    resolve: ({ companyId, key, period }, _args, { useCases, caller, write }) =>
      useCases.readMetricRevisions(
        caller,
        { companyId, key, from: period, to: period },
        write.rows,
      ),
  });

export const usualHistory = 36;
const millisecondsPerDay = 86_400_000;

export interface PeriodArguments {
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
}

/** No metric has more than one value a day. */
export function valuesBetween({ from, to }: PeriodArguments): number {
  if (!from || !to) return usualHistory;
  const days = 1 + (Date.parse(to) - Date.parse(from)) / millisecondsPerDay;
  return Math.max(0, Math.min(usualHistory, days));
}

builder.objectType('MetricPoint', {
  isGated: true,
  isCacheable: true,
  fields: (t) => ({ ...valueFields(t), revisions: revisionsField(t) }),
});

builder.objectType('MetricRevision', { isGated: true, isCacheable: true, fields: valueFields });
