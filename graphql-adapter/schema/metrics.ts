import { loadData } from '#core';
import { metricResource } from '#http';
import { writeNodeId } from '../node-ids.ts';
import { builder } from './builder.ts';
import { describe } from './describe.ts';
import { revisionsField, valueFields, valuesBetween } from './metric-values.ts';
import { createResult } from './refusal.ts';

const metric = describe(metricResource);

builder.objectType('Metric', {
  description: 'The latest value of one metric, with its source and verification.',
  interfaces: ['Node'],
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    id: t.id({
      description:
        'Global ID of the metric, for `node`. Stays the same when the latest value changes.',
      resolve: ({ companyId, key }) => writeNodeId('metric', companyId, key),
    }),
    companyId: t.exposeID('companyId', { description: metric.companyId }),
    key: t.exposeString('key', { description: metric.key }),
    label: t.exposeString('label', { description: metric.label }),
    category: t.exposeString('category', { description: metric.category }),
    ...valueFields(t),
    history: t.field({
      type: ['MetricPoint'],
      nullable: true,
      description: 'The values of this metric, oldest first.',
      cost: { reads: 'gatedList', items: valuesBetween },
      args: {
        from: t.arg({ type: 'Date', description: 'The first period, included.' }),
        to: t.arg({ type: 'Date', description: 'The last period, included.' }),
      },
      resolve: ({ companyId, key }, bounds, { useCases, write, caller }) =>
        useCases.readMetricHistory(caller, { ...bounds, companyId, key }).then(write.readRows),
    }),
    revisions: revisionsField(t),
  }),
});

const countKeys = ({ keys }: { readonly keys?: readonly string[] | null | undefined }) =>
  keys ? new Set(keys).size : Number.POSITIVE_INFINITY;

builder.objectType('CompanyMetrics', {
  description: 'The metrics of a company.',
  isGated: true,
  fields: (t) => ({
    metrics: t.field({
      type: ['Metric'],
      description: 'The latest value of each metric, sorted by key.',
      cost: { items: 20 },
      resolve: (metrics) => metrics,
    }),
  }),
});

const CompanyMetricsResult = createResult('CompanyMetrics', 'The metrics of a company');

const MetricResult = createResult('Metric', 'One metric of a company');

builder.objectFields('Company', (t) => ({
  metrics: t.field({
    type: CompanyMetricsResult,
    nullable: true,
    description:
      'The latest value of every metric. Needs the scope `metrics:read` and a live grant.',
    cost: { reads: 'gated', itemsBelow: countKeys },
    args: {
      keys: t.arg.stringList({ description: 'Only these metrics, at most 200 keys.' }),
    },
    resolve: ({ id: companyId }, { keys }, { useCases, caller }) =>
      useCases.readLatestMetrics(caller, { companyId, keys }).then(loadData),
  }),
  metric: t.field({
    type: MetricResult,
    nullable: true,
    description: 'The latest value of one metric. Needs the scope `metrics:read` and a live grant.',
    cost: { reads: 'gated' },
    args: {
      key: t.arg.string({
        required: true,
        description: 'Key of the metric, for example `cash_balance`.',
      }),
    },
    resolve: ({ id: companyId }, { key }, { useCases, caller }) =>
      useCases.readLatestMetric(caller, { companyId, key }).then(loadData),
  }),
}));
