import type { InvestorContext } from '../../context.ts';
import { fileRoutes, workbookColumns } from '../workbook.ts';
import { readChoice } from './choice.ts';
import { findCompanies, indexOf, readComparison } from './read.ts';

const columns = ['company_id', 'company_name', 'key', 'period', 'currency', 'raw_value', 'value'];

/** Rounds an index to twelve digits, because the result of a division can have endless digits. */
const indexText = (index: number | undefined): string | null =>
  index === undefined ? null : String(Number(index.toPrecision(12)));

const kinds = { period: 'date', raw_value: 'amount', index: 'number' } as const;

async function readTable(context: InvestorContext) {
  const choice = readChoice(context);
  const isIndexed = choice.scale === 'index';
  const { chosen } = await findCompanies(context, choice);
  const { series } = await readComparison(context, choice, chosen);
  const rows = series.flatMap((each) => {
    const { company, values } = each;
    const indices = isIndexed ? indexOf(each) : null;
    return values.map(({ key, period, currency, rawValue, value }, at) => [
      ...[company.id, company.name, key, period, currency, rawValue, value],
      ...(isIndexed ? [indexText(indices?.[at])] : []),
    ]);
  });
  return {
    sheet: context.language.m.nav.compare,
    columns: workbookColumns(isIndexed ? [...columns, 'index'] : columns, kinds),
    rows,
  };
}

export const compareFileRoutes = fileRoutes('/compare', () => 'comparison', readTable);
