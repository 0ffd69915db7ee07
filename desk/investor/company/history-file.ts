import { loadData, type Metric, maxHistoryKeys } from '#core';
import { metricCells, metricColumns } from '#http';
import type { InvestorContext } from '../../context.ts';
import { allOf } from '../portfolio/view.ts';
import { fileRoutes, workbookColumns } from '../workbook.ts';
import { readIfShared } from './read.ts';

/** All histories together count as one read. */
async function readMetrics(context: InvestorContext): Promise<readonly Metric[]> {
  const { caller, useCases, id: companyId } = context;
  const keys = allOf(context, 'key').slice(0, maxHistoryKeys);
  const histories = await useCases.investor
    .readMetricHistories(caller, { companyId, keys })
    .then(loadData);
  return histories.flatMap(({ values }) => values);
}

/** Omitted by default, because signatures are long and only programs read them. */
const signatureColumns: ReadonlySet<string> = new Set([
  'verification.signature',
  'verification.public_key_url',
  'verification.source_signature',
  'signed_at',
  'key_id',
]);

const kinds = {
  raw_value: 'amount',
  revision: 'number',
  period: 'date',
  as_of: 'instant',
  'source.last_synced': 'instant',
  'verification.verified': 'flag',
  'verification.signed': 'flag',
  signed_at: 'instant',
} as const;

async function readTable(context: InvestorContext) {
  const { query, language } = context;
  const columns = metricColumns
    .map((name, at) => ({ name, at }))
    .filter(({ name }) => query.signatures !== undefined || !signatureColumns.has(name));
  const metrics = await readMetrics(context);
  return {
    // The sheet can't have the name "History", which Excel reserves.
    sheet: language.m.data.metrics,
    columns: workbookColumns(
      columns.map(({ name }) => name),
      kinds,
    ),
    rows: metrics.values().map((metric) => {
      const cells = metricCells(metric);
      return columns.map(({ at }) => cells[at] ?? null);
    }),
  };
}

/** The company ID is part of the file name. It contains only characters that are valid there. */
export const historyFileRoutes = fileRoutes(
  '/portfolio/:id/history',
  ({ id }) => `history-${id}`,
  readTable,
).map((route) => ({ ...route, handle: readIfShared(route.handle) }));
