import type { Metric } from '#core';
import { builder, type FieldBuilder } from './builder.ts';
import { createResult, readGated } from './refusal.ts';

/** What the latest value of a metric has in common with each value of its history. */
const valueFields = (t: FieldBuilder<Metric>) => ({
  currency: t.exposeString('currency', {
    nullable: true,
    description: 'ISO 4217 code; null for what is not money.',
  }),
  period: t.expose('period', { type: 'Date', description: 'Date of the period.' }),
  value: t.exposeString('value', { description: 'The value, for people.' }),
  rawValue: t.expose('rawValue', { type: 'Decimal', description: 'The value, for programs.' }),
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

/** Reads what the value of one period was before it was corrected. */
const revisionsField = (t: FieldBuilder<Metric>) =>
  t.field({
    type: ['MetricRevision'],
    nullable: true,
    description:
      'Every value that this period has had, oldest first, the present one included, each with its own signature.',
    extensions: { items: 2, isRead: true },
    resolve: ({ companyId, key, period }, _args, { useCases, cache, caller, reads }, info) =>
      reads.gatedList(info, () =>
        useCases.readMetricRevisions(
          caller,
          { companyId, key, from: period, to: period },
          (reading) => cache.getRows(reading, caller.keyId),
        ),
      ),
  });

const usualHistory = 36;
const millisecondsPerDay = 86_400_000;

/** No metric has more than one value a day. */
function valuesBetween({
  from,
  to,
}: {
  readonly from?: string | null;
  readonly to?: string | null;
}) {
  if (!from || !to) return usualHistory;
  const days = 1 + (Date.parse(to) - Date.parse(from)) / millisecondsPerDay;
  return Math.max(0, Math.min(usualHistory, days));
}

builder.objectType('Metric', {
  description: 'The latest value of one metric, with its source and verification.',
  extensions: { isCacheable: true },
  fields: (t) => ({
    companyId: t.exposeID('companyId', { description: 'Id of the company.' }),
    key: t.exposeString('key', { description: 'Key of the metric, as in `cash_balance`.' }),
    label: t.exposeString('label', { description: 'Display name of the metric.' }),
    category: t.exposeString('category', { description: 'Group of the metric.' }),
    ...valueFields(t),
    history: t.field({
      type: ['MetricPoint'],
      nullable: true,
      description: 'The values of this metric, oldest first.',
      extensions: { items: valuesBetween, isRead: true },
      args: {
        from: t.arg({ type: 'Date', description: 'The first period, included.' }),
        to: t.arg({ type: 'Date', description: 'The last period, included.' }),
      },
      resolve: ({ companyId, key }, bounds, { useCases, cache, caller, reads }, info) =>
        reads.gatedList(info, () =>
          useCases.readMetricHistory(caller, { ...bounds, companyId, key }, (reading) =>
            cache.getRows(reading, caller.keyId),
          ),
        ),
    }),
    revisions: revisionsField(t),
  }),
});

builder.objectType('MetricPoint', {
  description: 'One value in the history of a metric.',
  extensions: { isCacheable: true },
  fields: (t) => ({ ...valueFields(t), revisions: revisionsField(t) }),
});

builder.objectType('MetricRevision', {
  description: 'One of the values that a metric has had for one period.',
  extensions: { isCacheable: true },
  fields: valueFields,
});

const countKeys = ({ keys }: { readonly keys?: readonly string[] | null }) =>
  keys ? new Set(keys).size : Number.POSITIVE_INFINITY;

builder.objectType('CompanyMetrics', {
  description: 'The metrics of a company.',
  fields: (t) => ({
    metrics: t.field({
      type: ['Metric'],
      description: 'The latest value of each metric, by key.',
      extensions: { items: 20 },
      resolve: (metrics, _args, { lists }, info) => lists.present(metrics, info),
    }),
  }),
});

const CompanyMetricsResult = createResult(
  'CompanyMetrics',
  'CompanyMetricsResult',
  'The metrics of a company',
);

builder.objectType('MetricHistory', {
  description: 'The values that a metric has had.',
  fields: (t) => ({
    values: t.field({
      type: ['MetricPoint'],
      description: 'The values, oldest first; none when there is no data for the metric.',
      extensions: { items: usualHistory },
      resolve: (values, _args, { lists }, info) => lists.present(values, info),
    }),
  }),
});

const MetricHistoryResult = createResult(
  'MetricHistory',
  'MetricHistoryResult',
  'The history of a metric',
);

const MetricResult = createResult('Metric', 'MetricResult', 'One metric of a company');

builder.objectFields('Company', (t) => ({
  metrics: t.field({
    type: CompanyMetricsResult,
    nullable: true,
    description:
      'The latest value of every metric. Needs the scope `metrics:read` and a grant of the company.',
    extensions: { isRead: true, itemsBelow: countKeys },
    args: {
      keys: t.arg.stringList({ description: 'Only these metrics; at most 200 keys.' }),
    },
    resolve: ({ id: companyId }, { keys }, context, info) =>
      readGated(context, info, () =>
        context.useCases.readLatestMetrics(context.caller, { companyId, keys }),
      ),
  }),
  metric: t.field({
    type: MetricResult,
    nullable: true,
    description:
      'The latest value of one metric. Needs the scope `metrics:read` and a grant of the company.',
    extensions: { isRead: true },
    args: {
      key: t.arg.string({
        required: true,
        description: 'Key of the metric, as in `cash_balance`.',
      }),
    },
    resolve: ({ id: companyId }, { key }, context, info) =>
      readGated(context, info, () =>
        context.useCases.readLatestMetric(context.caller, { companyId, key }),
      ),
  }),
  metricHistory: t.field({
    type: MetricHistoryResult,
    nullable: true,
    description:
      'The values of one metric, the latest among them, in one read. Needs the scope `metrics:read` and a grant of the company.',
    extensions: { isRead: true, itemsBelow: valuesBetween },
    args: {
      key: t.arg.string({
        required: true,
        description: 'Key of the metric, as in `cash_balance`.',
      }),
      from: t.arg({ type: 'Date', description: 'The first period, included.' }),
      to: t.arg({ type: 'Date', description: 'The last period, included.' }),
    },
    resolve: ({ id: companyId }, asked, context, info) =>
      readGated(
        context,
        info,
        () =>
          context.useCases.readMetricHistory(context.caller, { ...asked, companyId }, (reading) =>
            context.cache.getRows(reading, context.caller.keyId),
          ),
        'gatedRows',
      ),
  }),
}));
