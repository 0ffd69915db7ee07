import { loadData, type Metric, maxHistoryKeys } from '#core';
import { csvLine, metricCells, metricColumns, withFileTurn, writeText } from '#http';
import { attachCsv, csvHeader } from '../../components/csv.ts';
import type { InvestorContext } from '../../context.ts';
import { forInvestors } from '../../route.ts';
import { allOf } from '../portfolio/view.ts';
import { attachWorkbook, workbookColumns, writeWorkbook } from '../workbook.ts';
import { whileShared } from './read.ts';

/** Reads the histories of the metrics in the address. Counts as one read. */
async function readRows(context: InvestorContext): Promise<readonly Metric[]> {
  const { caller, useCases, id: companyId } = context;
  const keys = allOf(context, 'key').slice(0, maxHistoryKeys);
  const histories = await useCases.investor
    .readMetricHistories(caller, { companyId, keys })
    .then(loadData);
  return histories.flatMap(({ values }) => values);
}

/** Signatures are long, and only programs read them. */
const signatureColumns: ReadonlySet<string> = new Set([
  'verification.signature',
  'verification.public_key_url',
  'verification.source_signature',
  'signed_at',
  'key_id',
]);

function columnsOf({ query }: InvestorContext) {
  const places = metricColumns
    .map((name, at) => ({ name, at }))
    .filter(({ name }) => query.signatures !== undefined || !signatureColumns.has(name));
  return {
    names: places.map(({ name }) => name),
    cellsOf(metric: Metric): (string | null)[] {
      const cells = metricCells(metric);
      return places.map(({ at }) => cells[at] ?? null);
    },
  };
}

/** A company id contains only characters that are valid in a file name. */
const nameOf = ({ id }: InvestorContext): string => `history-${id}`;

async function csv(context: InvestorContext) {
  const { investorId } = context.caller;
  const { names, cellsOf } = columnsOf(context);
  function* lines(metrics: readonly Metric[]) {
    yield csvHeader(names);
    for (const metric of metrics) yield csvLine(cellsOf(metric));
  }
  const text = await withFileTurn(investorId, async () =>
    writeText(lines(await readRows(context)), investorId),
  );
  return attachCsv(context.reply, nameOf(context)).send(text);
}

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

async function xlsx(context: InvestorContext) {
  const { names, cellsOf } = columnsOf(context);
  const content = await writeWorkbook(context.caller.investorId, async () => ({
    // Excel reserves the name "History".
    sheet: context.language.m.data.metrics,
    columns: workbookColumns(names, kinds),
    rows: (await readRows(context)).map(cellsOf),
  }));
  return attachWorkbook(context.reply, nameOf(context), content);
}

export const historyFileRoutes = [
  forInvestors.read('/portfolio/:id/history.csv', whileShared(csv)),
  forInvestors.read('/portfolio/:id/history.xlsx', whileShared(xlsx)),
];
