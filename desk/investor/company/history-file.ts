import { type Metric, maxHistoryKeys } from '#core';
import { metricCells, metricColumns, metricCsv, withFileTurn, writeText } from '#http';
import type { InvestorContext } from '../../context.ts';
import { forInvestors } from '../../route.ts';
import { allOf } from '../portfolio/filters.ts';
import { writeWorkbook } from '../workbook.ts';
import { whileShared } from './read.ts';

/** The histories that the address names, as one read. */
async function readRows(context: InvestorContext): Promise<readonly Metric[]> {
  const { caller, useCases, id: companyId } = context;
  const keys = allOf(context, 'key').slice(0, maxHistoryKeys);
  const histories = await useCases.investor.readMetricHistories(caller, { companyId, keys });
  return histories.flatMap(({ values }) => values);
}

/** An id of a company has no character that the name of a file may not have. */
const attach = ({ reply, id }: InvestorContext, form: string) =>
  reply.header('content-disposition', `attachment; filename="history-${id}.${form}"`);

async function csv(context: InvestorContext) {
  const { investorId } = context.caller;
  const text = await withFileTurn(investorId, async () =>
    writeText(metricCsv(await readRows(context)), investorId),
  );
  return attach(context, 'csv').type('text/csv; charset=utf-8; header=present').send(text);
}

const kinds = {
  raw_value: 'number',
  revision: 'number',
  period: 'date',
  as_of: 'instant',
  'source.last_synced': 'instant',
  signed_at: 'instant',
} as const;

async function xlsx(context: InvestorContext) {
  const { type, bytes } = await writeWorkbook(context.caller.investorId, async () => ({
    // Excel reserves the name "History".
    sheet: context.language.m.data.metrics,
    columns: metricColumns,
    kinds,
    rows: (await readRows(context)).map(metricCells),
  }));
  return attach(context, 'xlsx').type(type).send(bytes);
}

export const historyFileRoutes = [
  forInvestors.get('/portfolio/:id/history.csv', whileShared(csv)),
  forInvestors.get('/portfolio/:id/history.xlsx', whileShared(xlsx)),
];
