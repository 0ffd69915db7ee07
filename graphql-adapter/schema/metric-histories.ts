import { maxHistoryKeys } from '#core';
import { builder } from './builder.ts';
import { type PeriodArguments, usualHistory, valuesBetween } from './metric-values.ts';
import { createResult } from './refusal.ts';

builder.objectType('MetricHistory', {
  isGated: true,
  fields: (t) => ({
    key: t.exposeString('key'),
    label: t.string({ nullable: true, resolve: ({ values }) => values.at(-1)?.label ?? null }),
    category: t.string({
      nullable: true,
      resolve: ({ values }) => values.at(-1)?.category ?? null,
    }),
    values: t.field({
      type: ['MetricPoint'],
      cost: { items: usualHistory },
      resolve: ({ values }) => values,
    }),
  }),
});

builder.objectType('MetricHistories', {
  isGated: true,
  fields: (t) => ({
    histories: t.field({
      type: ['MetricHistory'],
      cost: { items: maxHistoryKeys },
      resolve: (histories) => histories,
    }),
  }),
});

const MetricHistoryResult = createResult('MetricHistory');
const MetricHistoriesResult = createResult('MetricHistories');

interface Asked extends PeriodArguments {
  readonly keys: readonly string[];
}

const countHistories = ({ keys, ...periods }: Asked) => [
  new Set(keys).size,
  valuesBetween(periods),
];

builder.objectFields('Company', (t) => ({
  metricHistory: t.field({
    type: MetricHistoryResult,
    nullable: true,
    cost: { reads: 'gatedHistories', itemsBelow: valuesBetween },
    args: {
      key: t.arg.string({ required: true }),
      from: t.arg({ type: 'Date' }),
      to: t.arg({ type: 'Date' }),
    },
    async resolve({ id: companyId }, { key, ...periods }, { useCases, caller, write }) {
      const input = { ...periods, companyId, key };
      const values = await useCases.readMetricHistory(caller, input, write.rows);
      return { key, values };
    },
  }),
  metricHistories: t.field({
    type: MetricHistoriesResult,
    nullable: true,
    cost: { reads: 'gatedHistories', itemsBelow: countHistories },
    args: {
      keys: t.arg.stringList({ required: true }),
      from: t.arg({ type: 'Date' }),
      to: t.arg({ type: 'Date' }),
    },
    resolve: ({ id: companyId }, asked, { useCases, caller, write }) =>
      useCases.readMetricHistories(caller, { ...asked, companyId }, write.histories),
  }),
}));
