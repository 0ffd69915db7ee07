import { maxHistoryKeys } from '#core';
import { metricResource } from '#http';
import { builder } from './builder.ts';
import { describe } from './describe.ts';
import { assumedHistoryLength, type PeriodArguments, valuesBetween } from './metric-values.ts';
import { createResult } from './refusal.ts';

const metric = describe(metricResource);

builder.objectType('MetricHistory', {
  description: 'The history of a metric.',
  isGated: true,
  fields: (t) => ({
    key: t.exposeString('key', { description: metric.key }),
    label: t.string({
      nullable: true,
      description: 'Display name of the metric. Null if there are no values.',
      resolve: ({ values }) => values.at(-1)?.label ?? null,
    }),
    category: t.string({
      nullable: true,
      description: 'Group of the metric. Null if there are no values.',
      resolve: ({ values }) => values.at(-1)?.category ?? null,
    }),
    values: t.field({
      type: ['MetricPoint'],
      description: 'The values, oldest first. Empty if there is no data for the metric.',
      cost: { items: assumedHistoryLength },
      resolve: ({ values }) => values,
    }),
  }),
});

builder.objectType('MetricHistories', {
  description: 'The histories of some metrics of a company.',
  isGated: true,
  fields: (t) => ({
    histories: t.field({
      type: ['MetricHistory'],
      description: 'The histories in the order of the keys.',
      cost: { items: maxHistoryKeys },
      resolve: (histories) => histories,
    }),
  }),
});

const MetricHistoryResult = createResult('MetricHistory', 'The history of a metric');

const MetricHistoriesResult = createResult('MetricHistories', 'The histories of some metrics');

interface HistoryArguments extends PeriodArguments {
  readonly keys: readonly string[];
}

const countHistories = ({ keys, ...periods }: HistoryArguments) => [
  new Set(keys).size,
  valuesBetween(periods),
];

builder.objectFields('Company', (t) => ({
  metricHistory: t.field({
    type: MetricHistoryResult,
    nullable: true,
    description:
      'The values of one metric, including the latest, with one read. Needs the scope `metrics:read` and a live grant.',
    cost: { reads: 'gatedHistories', itemsBelow: valuesBetween },
    args: {
      key: t.arg.string({
        required: true,
        description: 'Key of the metric, for example `cash_balance`.',
      }),
      from: t.arg({ type: 'Date', description: 'The first period, included.' }),
      to: t.arg({ type: 'Date', description: 'The last period, included.' }),
    },
    async resolve({ id: companyId }, { key, ...periods }, { useCases, write, caller }) {
      const input = { ...periods, companyId, key };
      const values = await useCases.readMetricHistory(caller, input).then(write.readRows);
      return { key, values };
    },
  }),
  metricHistories: t.field({
    type: MetricHistoriesResult,
    nullable: true,
    description: `The values of up to ${maxHistoryKeys} metrics with one read, which costs one point and leaves one access record. Needs the scope \`metrics:read\` and a live grant.`,
    cost: { reads: 'gatedHistories', itemsBelow: countHistories },
    args: {
      keys: t.arg.stringList({
        required: true,
        description: `Keys of 1 to ${maxHistoryKeys} metrics. Repeated keys count once.`,
      }),
      from: t.arg({ type: 'Date', description: 'The first period, included.' }),
      to: t.arg({ type: 'Date', description: 'The last period, included.' }),
    },
    resolve: ({ id: companyId }, args, { useCases, write, caller }) =>
      useCases.readMetricHistories(caller, { ...args, companyId }).then(write.readHistories),
  }),
}));
