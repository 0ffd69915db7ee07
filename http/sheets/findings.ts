import type { AmountFlaw } from './amounts.ts';
import type { DateFlaw } from './dates.ts';
import type { LineFlaw } from './sheet.ts';

export interface RowProblem {
  readonly line: number;
  /** The heading of the column. Null if the problem concerns the complete row. */
  readonly column: string | null;
  readonly code: ProblemCode;
  readonly text: string;
  /** First the number of cells in the row, then the number of headings. */
  readonly counts?: readonly [number, number];
}

export type ProblemCode =
  | LineFlaw
  | DateFlaw
  | AmountFlaw
  | 'too_many_cells'
  | 'no_key'
  | 'bad_key'
  | 'two_labels'
  | 'no_period'
  | 'bad_currency'
  | 'two_currencies'
  | 'bad_flag';

/** A decision that was made without asking the person who uploads the file. */
export type Note =
  | { readonly code: 'heading_row'; readonly line: number }
  | { readonly code: 'split' | 'unpivoted' }
  | { readonly code: 'encoding'; readonly encoding: string }
  | { readonly code: 'columns_left_out'; readonly headings: readonly string[] }
  | {
      readonly code: 'totals_left_out' | 'sections_left_out' | 'dashes_left_out';
      readonly lines: readonly number[];
    }
  | { readonly code: 'months' | 'quarters'; readonly count: number }
  | { readonly code: 'by_label'; readonly labels: ReadonlyMap<string, string> };
