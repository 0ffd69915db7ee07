import { KeyedSemaphore, makeInThread, type StaticContent } from '#http';

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

const everybody = '';

/** One at a time in this process. */
const turns = new KeyedSemaphore(1);

/** Writes the last rows in a thread of its own, because nobody else should wait for it. */
export const writeWorkbook = (workbook: Workbook): Promise<StaticContent> =>
  turns.within(everybody, () =>
    makeInThread('./workbook-writer', import.meta, {
      ...workbook,
      rows: workbook.rows.slice(-maxRows),
    }),
  );
