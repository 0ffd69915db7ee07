import type { Metric, MetricRevision } from '#core';
import { builder, type FieldBuilder } from './builder.ts';

/** The common fields of values and revisions. A revision can be voided. */
const originFields = (t: FieldBuilder<MetricRevision>) => ({
  currency: t.exposeString('currency', {
    nullable: true,
    description: 'ISO 4217 code; null for what is not money.',
  }),
  period: t.expose('period', { type: 'Date', description: 'Date of the period.' }),
  source: t.expose('source', {
    type: 'MetricSource',
    description: 'Where the value comes from.',
  }),
  verification: t.expose('verification', {
    type: 'Verification',
    description: 'Whether the value was checked, and its signature.',
  }),
  confidence: t.exposeString('confidence', { description: 'Qualitative level.' }),
  asOf: t.expose('asOf', {
    type: 'DateTime',
    description: 'The instant the value is valid for.',
  }),
  revision: t.exposeInt('revision', {
    description: 'Counted from 1: how often the value of this period was given.',
  }),
});

/** The common fields of a latest value and a value in the history. */
export const valueFields = (t: FieldBuilder<Metric>) => ({
  ...originFields(t as unknown as FieldBuilder<MetricRevision>),
  value: t.exposeString('value', { description: 'The value, for people.' }),
  rawValue: t.expose('rawValue', { type: 'Decimal', description: 'The value, for programs.' }),
});

/** Returns the earlier values of a corrected period. */
export const revisionsField = (t: FieldBuilder<Metric>) =>
  t.field({
    type: ['MetricRevision'],
    nullable: true,
    description:
      'Every value that this period has had, oldest first, the present one included, each with its own signature.',
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
  description: 'One value in the history of a metric.',
  isGated: true,
  isCacheable: true,
  fields: (t) => ({ ...valueFields(t), revisions: revisionsField(t) }),
});

builder.objectType('MetricRevision', {
  description: 'One of the values that a metric has had for one period.',
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    ...originFields(t),
    value: t.string({
      nullable: true,
      description: 'The value, for people. Null if the company took the value back.',
      resolve: ({ value }) => value,
    }),
    rawValue: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'The value, for programs. Null if the company took the value back.',
      resolve: ({ rawValue }) => rawValue,
    }),
    voidReason: t.string({
      nullable: true,
      description:
        'Why the company took the value back, in up to 1,000 characters. Null if it gave no reason, and for values that stand.',
      resolve: (revision) => (revision.rawValue === null ? revision.voidReason : null),
    }),
  }),
});
