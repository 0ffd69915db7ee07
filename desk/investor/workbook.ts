import type { FastifyReply } from 'fastify';
import { makeInThread, type StaticContent, withFileTurn } from '#http';

/**
 * A date is `2026-10-31`, an instant `2026-11-02T04:00:00.000Z`, a flag `true` or `false`. An amount is a number with at
 * least the decimals of its currency. The column of the currency has the amount's name and `.currency`, or else `currency`.
 */
export type CellKind = 'number' | 'amount' | 'date' | 'instant' | 'flag';

/** What a workbook of one sheet is made of. */
export interface Workbook {
  readonly sheet: string;
  readonly columns: readonly string[];
  /** The kinds of the columns that aren't text. A value that a spreadsheet can't hold exactly stays text. */
  readonly kinds: Readonly<Record<string, CellKind>>;
  readonly rows: readonly (readonly (string | null)[])[];
}

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

/** @param name without its ending */
export const attachWorkbook = (
  reply: FastifyReply,
  name: string,
  { type, bytes }: StaticContent,
): FastifyReply =>
  reply.header('content-disposition', `attachment; filename="${name}.xlsx"`).type(type).send(bytes);
