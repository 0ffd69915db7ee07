import type { FastifyReply } from 'fastify';
import { makeInThread, type StaticContent, withFileTurn } from '#http';

/**
 * A date is `2026-10-31`, an instant `2026-11-02T04:00:00.000Z`, a flag `true` or `false`. An amount is a number with at
 * least the decimals of its currency.
 */
export type CellKind = 'number' | 'amount' | 'date' | 'instant' | 'flag';

export interface WorkbookColumn {
  readonly name: string;
  /** Absent for text. A value that a spreadsheet can't hold exactly stays text. */
  readonly kind?: CellKind | undefined;
  /** The index of the column with the currency of an amount. */
  readonly currencyAt?: number | undefined;
}

export interface Workbook {
  readonly sheet: string;
  readonly columns: readonly WorkbookColumn[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** The column `currency` has the currency of each amount. */
export const workbookColumns = (
  names: readonly string[],
  kinds: Readonly<Record<string, CellKind>>,
): WorkbookColumn[] =>
  names.map((name) => ({ name, kind: kinds[name], currencyAt: names.indexOf('currency') }));

/** A workbook of years of daily values takes seconds of a processor and tens of megabytes. */
const maxRows = 50_000;

/**
 * Writes the last rows in a separate thread, so that no other caller waits.
 *
 * @param read is called when it is the investor's turn
 * @throws the errors of `withFileTurn`
 */
export function writeWorkbook(
  investorId: string,
  read: () => Promise<Workbook>,
): Promise<StaticContent> {
  return withFileTurn(investorId, async () => {
    const workbook = await read();
    const rows = workbook.rows.slice(-maxRows);
    return makeInThread('./workbook-writer', import.meta, { ...workbook, rows });
  });
}

/** @param name without the extension */
export const attachWorkbook = (
  reply: FastifyReply,
  name: string,
  { type, bytes }: StaticContent,
): FastifyReply =>
  reply.header('content-disposition', `attachment; filename="${name}.xlsx"`).type(type).send(bytes);
