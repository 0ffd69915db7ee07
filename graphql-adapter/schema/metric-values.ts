import type { Metric, MetricRevision } from '#core';
import { builder, type FieldBuilder } from './builder.ts';

/** The common fields of values and revisions. A revision can be voided. */
const originFields = (t: FieldBuilder<MetricRevision>) => ({
  currency: t.exposeString('currency', {
    nullable: true,
    description: 'ISO 4217 code. Null if the metric isn’t money.',
  }),
  period: t.expose('period', { type: 'Date', description: 'Date of the period.' }),
  source: t.expose('source', {
    type: 'MetricSource',
    description: 'The source of the value.',
  }),
  verification: t.expose('verification', {
    type: 'Verification',
    description: 'Whether the value was checked, and its signature.',
  }),
  confidence: t.exposeString('confidence', { description: 'Qualitative level.' }),
  asOf: t.expose('asOf', {
    type: 'DateTime',
    description: 'The time the value is valid for.',
  }),
  revision: t.exposeInt('revision', {
    description: 'Starts at 1 and increases each time the value of the period changes.',
  }),
});

/** The common fields of a latest value and a value in the history. */
export const valueFields = (t: FieldBuilder<Metric>) => ({
  ...originFields(t as unknown as FieldBuilder<MetricRevision>),
  value: t.exposeString('value', { description: 'The value, formatted for display.' }),
  rawValue: t.expose('rawValue', { type: 'Decimal', description: 'The exact value.' }),
});

/** Returns the earlier values of a corrected period. */
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
        .then(write.plain),
  });

export const usualHistory = 36;
const millisecondsPerDay = 86_400_000;

export interface PeriodArguments {
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
}

/** A metric has at most one value per day. */
export function valuesBetween({ from, to }: PeriodArguments): number {
  if (!from || !to) return usualHistory;
  const days = 1 + (Date.parse(to) - Date.parse(from)) / millisecondsPerDay;
  return Math.max(0, Math.min(usualHistory, days));
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
        'The company’s reason for voiding the value, up to 1,000 characters. Null without one, and for valid values.',
      resolve: (revision) => (revision.rawValue === null ? revision.voidReason : null),
    }),
  }),
});
