import { writeNodeId } from '../node-ids.ts';
import { builder } from './builder.ts';
import { revisionsField, valueFields, valuesBetween } from './metric-values.ts';
import { createResult } from './refusal.ts';

builder.objectType('Metric', {
  interfaces: ['Node'],
  isGated: true,
  isCacheable: true,
  fields: (t) => ({
    id: t.id({ resolve: ({ companyId, key }) => writeNodeId('metric', companyId, key) }),
    companyId: t.exposeID('companyId'),
    key: t.exposeString('key'),
    label: t.exposeString('label'),
    category: t.exposeString('category'),
    ...valueFields(t),
    history: t.field({
      type: ['MetricPoint'],
      nullable: true,
      cost: { reads: 'gatedList', items: valuesBetween },
      args: { from: t.arg({ type: 'Date' }), to: t.arg({ type: 'Date' }) },
      resolve: ({ companyId, key }, bounds, { useCases, caller, write }) =>
        useCases.readMetricHistory(caller, { ...bounds, companyId, key }, write.rows),
    }),
    revisions: revisionsField(t),
  }),
});

const countKeys = ({ keys }: { readonly keys?: readonly string[] | null | undefined }) =>
  keys ? new Set(keys).size : Number.POSITIVE_INFINITY;

builder.objectType('CompanyMetrics', {
  isGated: true,
  fields: (t) => ({
    metrics: t.field({ type: ['Metric'], cost: { items: 20 }, resolve: (metrics) => metrics }),
  }),
});

const CompanyMetricsResult = createResult('CompanyMetrics');
const MetricResult = createResult('Metric');

builder.objectFields('Company', (t) => ({
  metrics: t.field({
    type: CompanyMetricsResult,
    nullable: true,
    cost: { reads: 'gated', itemsBelow: countKeys },
    args: { keys: t.arg.stringList() },
    resolve: ({ id: companyId }, { keys }, { useCases, caller }) =>
      useCases.readLatestMetrics(caller, { companyId, keys }),
  }),
  metric: t.field({
    type: MetricResult,
    nullable: true,
    cost: { reads: 'gated' },
    args: { key: t.arg.string({ required: true }) },
    resolve: ({ id: companyId }, { key }, { useCases, caller }) =>
      useCases.readLatestMetric(caller, { companyId, key }),
  }),
}));
