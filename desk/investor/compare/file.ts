import { csvLine, withFileTurn, writeText } from '#http';
import { attachCsv, csvHeader } from '../../components/csv.ts';
import type { InvestorContext } from '../../context.ts';
import { forInvestors } from '../../route.ts';
import { attachWorkbook, workbookColumns, writeWorkbook } from '../workbook.ts';
import { type Choice, readChoice } from './choice.ts';
import { findCompanies, indexOf, readComparison } from './read.ts';

const columns = ['company_id', 'company_name', 'key', 'period', 'currency', 'raw_value', 'value'];

/** Twelve digits are enough for a quotient. */
const indexText = (index: number | undefined): string | null =>
  index === undefined ? null : String(Number(index.toPrecision(12)));

const columnsOf = ({ scale }: Choice) => (scale === 'index' ? [...columns, 'index'] : columns);

async function readRows(choice: Choice, context: InvestorContext): Promise<(string | null)[][]> {
  const { chosen } = await findCompanies(context, choice);
  const { series } = await readComparison(context, choice, chosen);
  return series.flatMap((each) => {
    const { company, values } = each;
    const indices = choice.scale === 'index' ? indexOf(each) : null;
    return values.map(({ key, period, currency, rawValue, value }, at) => [
      ...[company.id, company.name, key, period, currency, rawValue, value],
      ...(choice.scale === 'index' ? [indexText(indices?.[at])] : []),
    ]);
  });
}

async function csv(context: InvestorContext) {
  const { investorId } = context.caller;
  const choice = readChoice(context);
  const text = await withFileTurn(investorId, async () => {
    const rows = await readRows(choice, context);
    function* lines() {
      yield csvHeader(columnsOf(choice));
      for (const row of rows) yield csvLine(row);
    }
    return writeText(lines(), investorId);
  });
  return attachCsv(context.reply, 'comparison').send(text);
}

const kinds = { period: 'date', raw_value: 'amount', index: 'number' } as const;

async function xlsx(context: InvestorContext) {
  const choice = readChoice(context);
  const content = await writeWorkbook(context.caller.investorId, async () => ({
    sheet: context.language.m.nav.compare,
    columns: workbookColumns(columnsOf(choice), kinds),
    rows: await readRows(choice, context),
  }));
  return attachWorkbook(context.reply, 'comparison', content);
}

export const compareFileRoutes = [
  forInvestors.read('/compare.csv', csv),
  forInvestors.read('/compare.xlsx', xlsx),
];
