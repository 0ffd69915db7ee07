import { csvLine, makeInThread, type StaticContent, withFileTurn, writeText } from '#http';
import { attachCsv, csvHeader } from '../components/csv.ts';
import type { InvestorContext } from '../context.ts';
import { forInvestors } from '../route.ts';

/**
 * The type of a cell. A date is `2026-10-31`, an instant `2026-11-02T04:00:00.000Z`, a flag `true` or `false`. An
 * amount is a number with at least the decimals of its currency.
 */
export type CellKind = 'number' | 'amount' | 'date' | 'instant' | 'flag';

interface WorkbookColumn {
  readonly name: string;
  /** Absent for a text column. A value that a spreadsheet can't represent exactly stays text. */
  readonly kind?: CellKind | undefined;
  /** Only for a column of amounts: the index of the column with their currencies. */
  readonly currencyAt?: number | undefined;
}

export interface Workbook {
  readonly sheet: string;
  readonly columns: readonly WorkbookColumn[];
  readonly rows: readonly (readonly (string | null)[])[];
}

export const workbookColumns = (
  names: readonly string[],
  kinds: Readonly<Record<string, CellKind>>,
): WorkbookColumn[] =>
  names.map((name) => ({ name, kind: kinds[name], currencyAt: names.indexOf('currency') }));

/** A longer workbook would take seconds of processor time and tens of megabytes of memory. */
const maxRows = 50_000;

/** The rows are an iterable, so that a long CSV file is written row by row, without all rows in memory. */
type Table = Omit<Workbook, 'rows'> & { readonly rows: Iterable<Workbook['rows'][number]> };

/**
 * Writes a workbook with the last rows of a table. Works in a separate thread, so that other callers don't wait.
 *
 * @param read reads the table, but only when the work begins. So a waiting call keeps no rows in memory
 * @throws the errors of `withFileTurn`
 */
export function writeWorkbook(
  investorId: string,
  read: () => Promise<Table>,
): Promise<StaticContent> {
  return withFileTurn(investorId, async () => {
    const table = await read();
    const rows = [...table.rows].slice(-maxRows);
    return makeInThread('./workbook-writer', import.meta, { ...table, rows });
  });
}

const writeCsv = (investorId: string, read: () => Promise<Table>): Promise<Buffer> =>
  withFileTurn(investorId, async () => writeText(linesOf(await read()), investorId));

function* linesOf({ columns, rows }: Table): Generator<string> {
  yield csvHeader(columns.map(({ name }) => name));
  for (const row of rows) yield csvLine(row);
}

export const fileRoutes = (
  path: string,
  nameOf: (context: InvestorContext) => string,
  read: (context: InvestorContext) => Promise<Table>,
) => [
  forInvestors.read(`${path}.csv`, async (context) => {
    const text = await writeCsv(context.caller.investorId, () => read(context));
    return attachCsv(context.reply, nameOf(context)).send(text);
  }),
  forInvestors.read(`${path}.xlsx`, async (context) => {
    const { type, bytes } = await writeWorkbook(context.caller.investorId, () => read(context));
    return context.reply
      .header('content-disposition', `attachment; filename="${nameOf(context)}.xlsx"`)
      .type(type)
      .send(bytes);
  }),
];
