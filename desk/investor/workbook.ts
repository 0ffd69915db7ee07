import { KeyedSemaphore, makeInThread, type StaticContent } from '#http';
import { makeFile } from './file-turns.ts';

/** What a workbook of one sheet is made of. */
export interface Workbook {
  readonly sheet: string;
  readonly columns: readonly string[];
  /** The columns whose texts are numbers where a spreadsheet can hold them exactly. */
  readonly numeric: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** A workbook of years of daily values takes seconds of a processor and tens of megabytes. */
const maxRows = 50_000;

/** One at a time in this process. */
const writers = new KeyedSemaphore(1);
const everybody = '';

/**
 * Writes the last rows in a thread of its own, because nobody else should wait for it.
 *
 * @param read is called when it is the investor's turn, so that nobody who waits holds rows
 * @throws as `makeFile`
 */
export function writeWorkbook(
  investorId: string,
  read: () => Promise<Workbook>,
): Promise<StaticContent> {
  return makeFile(investorId, async () => {
    const workbook = await read();
    const rows = workbook.rows.slice(-maxRows);
    return writers.within(everybody, () =>
      makeInThread('./workbook-writer', import.meta, { ...workbook, rows }),
    );
  });
}
