export type FileRefusal =
  | { readonly code: 'renamed_workbook' | 'renamed_text' | 'old_workbook' | 'encrypted' }
  | { readonly code: 'binary_workbook' | 'other_program' | 'not_a_table' | 'broken_workbook' }
  | { readonly code: 'large_workbook' | 'utf_32' | 'no_heading' | 'no_rows' | 'broken_quotes' }
  | { readonly code: 'blank_rows' | 'too_many_rows'; readonly most: number }
  | { readonly code: 'missing_columns'; readonly columns: readonly string[] }
  | { readonly code: 'two_columns'; readonly headings: readonly [string, string] }
  | { readonly code: 'scaled'; readonly line: number; readonly text: string }
  | { readonly code: 'no_sheet'; readonly name: string }
  | { readonly code: 'two_decimal_marks'; readonly comma: Proof; readonly point: Proof }
  | { readonly code: 'two_date_orders'; readonly dayFirst: Proof; readonly monthFirst: Proof };

/** A text that can be read in only one way. */
export interface Proof {
  readonly line: number;
  readonly text: string;
}
