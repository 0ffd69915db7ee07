import type { Metric, MetricRevision } from '#core';
import { metricResource } from '#http';
import { builder, type FieldBuilder } from './builder.ts';
import { describe } from './describe.ts';

const metric = describe(metricResource);

const originFields = (t: FieldBuilder<MetricRevision>) => ({
  currency: t.exposeString('currency', { nullable: true, description: metric.currency }),
  period: t.expose('period', { type: 'Date', description: metric.period }),
  source: t.expose('source', { type: 'MetricSource', description: metric.source }),
  verification: t.expose('verification', {
    type: 'Verification',
    description: metric.verification,
  }),
  confidence: t.exposeString('confidence', { description: metric.confidence }),
  asOf: t.expose('asOf', { type: 'DateTime', description: metric.asOf }),
  revision: t.exposeInt('revision', { description: metric.revision }),
});

export const valueFields = (t: FieldBuilder<Metric>) => ({
  ...originFields(t as unknown as FieldBuilder<MetricRevision>),
  value: t.exposeString('value', { description: metric.value }),
  rawValue: t.expose('rawValue', { type: 'Decimal', description: metric.rawValue }),
});

export const revisionsField = (t: FieldBuilder<Metric>) =>
  t.field({
    type: ['MetricRevision'],
    nullable: true,
    description:
      'All values of this period, oldest first, including the present one. Each has its own signature.',
    cost: { reads: 'gatedList', items: 2 },
    resolve: ({ companyId, key, period }, _args, { useCases, write, caller }) =>
      useCases
        .readMetricRevisions(caller, { companyId, key, from: period, to: period })
        .then(write.readRows),
  });

export const assumedHistoryLength = 36;
const millisecondsPerDay = 86_400_000;

export interface PeriodArguments {
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
}

/** A metric has at most one value per day. */
export function valuesBetween({ from, to }: PeriodArguments): number {
  if (!from || !to) return assumedHistoryLength;
  const days = 1 + (Date.parse(to) - Date.parse(from)) / millisecondsPerDay;
  return Math.max(0, Math.min(assumedHistoryLength, days));
}

builder.objectType('MetricPoint', {
  description: 'A value in the history of a metric.',
  isGated: true,
  isCacheable: true,
  fields: (t) => ({ ...valueFields(t), revisions: revisionsField(t) }),
});

builder.objectType('MetricRevision', {
  description: 'A past or present value of a metric for one period.',
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    ...originFields(t),
    value: t.string({
      nullable: true,
      description: 'The value, formatted for display. Null if the company voided it.',
      resolve: ({ value }) => value,
    }),
    rawValue: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'The exact value. Null if the company voided it.',
      resolve: ({ rawValue }) => rawValue,
    }),
    voidReason: t.string({
      nullable: true,
      description:
        'The company’s reason for voiding the value, up to 1,000 characters. Null if there is no reason, or if the value is valid.',
      resolve: (revision) => (revision.rawValue === null ? revision.voidReason : null),
    }),
  }),
});
