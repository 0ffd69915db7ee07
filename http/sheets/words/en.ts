import type { ValueMark } from '#core';
import type { Note, RowProblem } from '../findings.ts';
import type { SheetQuestion } from '../questions.ts';
import type { FileRefusal } from '../refusal.ts';

export interface SheetWords {
  /** The clause that follows "The file can’t be used:". */
  readonly refusal: (refusal: FileRefusal) => string;
  readonly problem: (problem: RowProblem) => string;
  readonly note: (note: Note) => string;
  readonly question: (question: SheetQuestion) => QuestionWords;
  /** A plain number as readers of the language write it, without separators of thousands. */
  readonly number: (number: string) => string;
  /** The reason why a value is unlikely, without a full stop at the end. */
  readonly marks: Readonly<Record<ValueMark, string>>;
}

export interface QuestionWords {
  readonly title: string;
  readonly answers: readonly [string, string];
  /** A short form of each answer. In the table of examples, each answer has a column with this heading. */
  readonly columns: readonly [string, string];
}

export const en: SheetWords = {
  ...{ refusal, problem, note, question },
  number: (number) => number,
  marks: {
    future: 'The period is in the future',
    old: 'The period is more than ten years ago',
    factor: 'At least 50 times larger or smaller than before',
    currency: 'Different currency than before',
    as_of: 'The date in as_of is before the end of the period or in the future',
    case: 'New name that differs from a known one only in capital letters',
    date: 'New name that looks like a date. A spreadsheet may have changed it',
  },
};

function refusal(params: FileRefusal): string {
  switch (params.code) {
    case 'renamed_workbook':
      return 'it is an Excel workbook, so rename it to .xlsx';
    case 'renamed_text':
      return 'it is a text file, so rename it to .csv';
    case 'old_workbook':
      return 'it is an old Excel file (.xls), so open it in Excel and save it as .xlsx';
    case 'encrypted':
      return 'it is protected with a password, so remove the password in Excel and save it again';
    case 'binary_workbook':
      return 'it is a binary Excel workbook (.xlsb), so save it as .xlsx';
    case 'other_program':
      return 'it is the file of another program, so export it as an Excel workbook (.xlsx)';
    case 'not_a_table':
      return 'it is neither an Excel workbook (.xlsx) nor a CSV file, so save the table as one of them';
    case 'broken_workbook':
      return 'the workbook is damaged, so open it in Excel and save it again';
    case 'large_workbook':
      return 'the workbook contains too much data, so copy the table into a new workbook';
    case 'utf_32':
      return 'it is UTF-32, so save it as UTF-8';
    case 'no_heading':
      return 'it has no heading row, so put the headings key, period and raw_value above the columns';
    case 'no_rows':
      return 'it has no row below the headings';
    case 'broken_quotes':
      return 'more than 1000 rows have broken quotes, so save it as CSV again';
    case 'blank_rows':
      return `it has more than ${params.most} blank rows, so delete those below the last row`;
    case 'too_many_rows':
      return `it has more than ${params.most} rows, so split it`;
    case 'missing_columns':
      return `it has no column ${params.columns.map((name) => `"${name}"`).join(', ')}`;
    case 'two_columns':
      return params.headings[0] === params.headings[1]
        ? `it has two columns "${params.headings[0]}", so delete one`
        : `its columns "${params.headings[0]}" and "${params.headings[1]}" mean the same, so delete one`;
    case 'scaled':
      return `line ${params.line} says "${params.text}", so its numbers aren't whole amounts. Write all digits and delete that line`;
    case 'no_sheet':
      return `it has no sheet "${params.name}"`;
    case 'two_decimal_marks':
      return `line ${params.comma.line} (${params.comma.text}) has a decimal comma, but line ${params.point.line} (${params.point.text}) a decimal point, so write all numbers one way`;
    case 'two_date_orders':
      return `in line ${params.dayFirst.line} (${params.dayFirst.text}) the day comes first, but in line ${params.monthFirst.line} (${params.monthFirst.text}) the month, so give the column one date format and save it again`;
  }
}

function problem({ code, text, counts = [0, 0] }: RowProblem): string {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  switch (code) {
    case 'broken_quote':
      return 'The row has a broken quote.';
    case 'open_quote':
      return 'The row opens a quote that isn’t closed.';
    case 'long_line':
      return 'The row is longer than 1 MiB, or a quote isn’t closed.';
    case 'wide_line':
      return 'The row has more than 2000 cells.';
    case 'bad_character':
      return 'The row has a character that can’t be read. Save the file as UTF-8.';
    case 'too_many_cells':
      return `The row has ${counts[0]} cells under ${counts[1]} headings. Delete the extra cell, or put quotes around a number with a comma.`;
    case 'no_key':
      return 'The row has no metric. Enter its key or name.';
    case 'bad_key':
      return `“${shown}” is neither the name of one of your metrics nor a valid metric key. A metric key can contain only letters, digits, “_”, “-” and “.”.`;
    case 'two_labels':
      return `Several of your metrics are named “${shown}”. Write the key instead.`;
    case 'no_period':
      return 'The row has no period. Enter a date, a month or a quarter.';
    case 'serial':
      return `${shown} is Excel’s number for a date. Format the column as a date and save again.`;
    case 'year_only':
      return `“${shown}” is a year. Enter a month, a quarter or a date.`;
    case 'no_year':
      return `“${shown}” has no year.`;
    case 'not_a_date':
      return `“${shown}” isn’t a date, a month or a quarter, such as 2026-10-31, Oct 2026 or Q3 2026.`;
    case 'error_cell':
      return `${shown} is an error of a formula. Correct the formula and save the file again.`;
    case 'not_calculated':
      return 'The formula has no result. Open the file in Excel and save it again.';
    case 'narrow_column':
      return 'The column was too narrow to show the number. Widen it and save again.';
    case 'shortened':
      return `Your spreadsheet program shortened the number to ${shown}. Format the column as a number without an exponent and save again.`;
    case 'abbreviated':
      return `Write all digits of ${shown}.`;
    case 'no_number':
      return 'There is no number. Enter one, or delete the row.';
    case 'date_in_amount':
      return `${shown} is a date. Format the column as a number.`;
    case 'not_a_number':
      return `“${shown}” isn’t a number such as 1234.56.`;
    case 'bad_currency':
      return `“${shown}” isn’t a currency code such as EUR.`;
    case 'two_currencies':
      return `The currency in ${shown} differs from the currency column.`;
    case 'bad_flag':
      return `“${shown}” is neither TRUE nor FALSE.`;
  }
}

export const pairsOf = (labels: ReadonlyMap<string, string>): string =>
  [...labels]
    .slice(0, 20)
    .map(([label, key]) => `${label} (${key})`)
    .join(', ');

const linesOf = (lines: readonly number[]): string =>
  `${lines.length === 1 ? 'Line' : 'Lines'} ${lines.slice(0, 20).join(', ')}${lines.length > 20 ? ' …' : ''}`;

function note(params: Note): string {
  switch (params.code) {
    case 'heading_row':
      return `Line ${params.line} is the heading row.`;
    case 'split':
      return 'Each row was a single cell. It was split at its separators.';
    case 'unpivoted':
      return 'Columns with a period as heading were read as rows of that period.';
    case 'encoding':
      return `The text was read as ${params.encoding}.`;
    case 'columns_left_out':
      return `Left out: ${params.headings.length === 1 ? 'column' : 'columns'} ${params.headings.join(', ')}.`;
    case 'totals_left_out':
      return `${linesOf(params.lines)} left out: totals.`;
    case 'sections_left_out':
      return `${linesOf(params.lines)} left out: no figures.`;
    case 'dashes_left_out':
      return `${linesOf(params.lines)} left out: a dash stands for no figure.`;
    case 'months':
      return `${params.count === 1 ? '1 month was' : `${params.count} months were`} read as the last day of the month.`;
    case 'quarters':
      return `${params.count === 1 ? '1 quarter was' : `${params.count} quarters were`} read as the last day of the quarter.`;
    case 'by_label':
      return `Found by their names: ${pairsOf(params.labels)}.`;
  }
}

function question({ id, examples: [first] }: SheetQuestion): QuestionWords {
  const [text = '', one = '', other = ''] = [first?.text, ...(first?.readings ?? [])];
  switch (id) {
    case 'encoding':
      return {
        title: `Is the word ${one} or ${other}?`,
        answers: [`${one} (Windows)`, `${other} (Macintosh)`],
        columns: ['Windows', 'Macintosh'],
      };
    case 'dates':
      return {
        title: `Is ${text} the ${ofDay(one)} or the ${ofDay(other)}?`,
        answers: [
          `The ${ofDay(one)}: the day comes first`,
          `The ${ofDay(other)}: the month comes first`,
        ],
        columns: ['Day first', 'Month first'],
      };
    case 'numbers': {
      const mark = text.includes('.') ? 'point' : 'comma';
      return {
        title: `Does ${text} mean ${one}?`,
        answers: [
          `Yes, ${one}: the ${mark} separates thousands`,
          `No, ${other}: the ${mark} is a decimal ${mark}`,
        ],
        columns: ['With thousands', 'With decimals'],
      };
    }
    case 'dashes':
      return {
        title: 'Does a dash stand for zero, or for no figure?',
        answers: ['Zero', 'No figure: leave it out'],
        columns: ['Zero', 'No figure'],
      };
    case 'keys':
      return {
        title: `Is ${other} your metric ${one}?`,
        answers: [`Yes, it is ${one}`, `No, ${other} is a new metric`],
        columns: ['Your metric', 'New metric'],
      };
    case 'first_days':
      return {
        title: `Does ${text} stand for its month, or for that day?`,
        answers: [`For the month, which ends on ${one}`, `For the day ${other}`],
        columns: ['Month', 'Day'],
      };
    case 'percents':
      return {
        title: `Should ${text} be stored in per cent or as a fraction?`,
        answers: [`In per cent: ${one}`, `As a fraction: ${other}`],
        columns: ['Per cent', 'Fraction'],
      };
    case 'repeats':
      return {
        title: `Which line counts for ${first?.key ?? ''}, ${text}?`,
        answers: [`The first: line ${one}`, `The last: line ${other}`],
        columns: ['First line', 'Last line'],
      };
  }
}

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** Formats a date, for example `2026-04-03` as `3rd of April 2026`. */
function ofDay(day: string): string {
  const [date = '', month = '', year = ''] = days.format(new Date(day)).split(' ');
  const last = /1[123]$/.test(date) ? '' : date.at(-1);
  const ending = last === '1' ? 'st' : last === '2' ? 'nd' : last === '3' ? 'rd' : 'th';
  return `${date}${ending} of ${month} ${year}`;
}
