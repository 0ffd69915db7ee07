/** The expected result of an upload, for one set of answers to the questions about it. */
export interface Case {
  readonly file: string;
  /** The error code if the whole file is refused. */
  readonly refused?: string;
  readonly sheet?: string;
  /** Without answers, no question is expected for the file. */
  readonly answers?: Readonly<Record<string, string>>;
  /** As `key period number [marks]`, followed by the currency if it differs from the stored one. */
  readonly taken?: readonly string[];
  readonly unchanged?: number;
  /** As `line code`. */
  readonly wrong?: readonly string[];
  /** One of the notes must contain this text. */
  readonly notes?: readonly string[];
  /** Expected fields of the first stored record. */
  readonly source?: object;
}

const arr = (number: string, marks = '', period = '2026-10-31'): string =>
  `arr ${period} ${number}${marks === '' ? '' : ` ${marks}`}`;
const template = {
  taken: [arr('3280000.5'), 'headcount 2026-11-30 38 future'],
  unchanged: 2,
};

export const cases: readonly Case[] = [
  {
    file: 'f30-ambiguous-day-03-04.csv',
    answers: { dates: 'day_first' },
    taken: [arr('1250000', '', '2026-04-03')],
  },
  {
    file: 'f30-ambiguous-day-03-04.csv',
    answers: { dates: 'month_first' },
    taken: [arr('1250000', '', '2026-03-04')],
  },
  {
    file: 'f30-report-us-days.csv',
    taken: [arr('1250000')],
    source: { last_synced: '2026-11-01T04:00:00Z' },
  },
  { file: 'f30-template-iso-only-booleans-changed-us.csv', ...template },
  { file: 'f30-template-saved-by-excel-us.csv', ...template },
  { file: 'f30-template-saved-by-excel-de-utf8.csv', ...template },
  { file: 'f30-template-saved-by-excel-fr.csv', ...template },
  {
    file: 'f30-workbook.xlsx',
    taken: [arr('1250000.5')],
    source: { last_synced: '2026-11-01T04:00:00Z' },
  },
  { file: 'f30-workbook-renamed.csv', refused: 'renamed_workbook' },
  ...(['zero', 'none'] as const).map((dashes) => ({
    file: 'f31-currency-parentheses-percent.csv',
    answers: { dashes },
    taken: [
      ...[
        'arr 2026-10-31 1234.56 USD factor,currency',
        'arr 2026-09-30 -987.65 USD factor,currency',
      ],
      ...['gross_margin 2026-08-31 -3.25', 'arr 2026-05-31 5 factor', 'arr 2026-04-30 0.5 factor'],
      'arr 2026-03-31 1234.5 factor',
      ...(dashes === 'zero' ? ['arr 2026-02-28 0'] : []),
      'arr 2026-01-31 1234567.89',
    ],
    wrong: ['5 abbreviated', '6 abbreviated'],
  })),
  { file: 'f31-us-thousands-quoted.csv', taken: [arr('1234567.89')] },
  {
    file: 'f32-comma-file-1000-point.csv',
    answers: { numbers: 'thousands' },
    taken: [arr('1000', 'factor')],
  },
  {
    file: 'f32-comma-file-1000-point.csv',
    answers: { numbers: 'decimals' },
    taken: [arr('1', 'factor')],
  },
  {
    file: 'f32-de-comma-decimals-utf8.csv',
    taken: [
      arr('1250.5', 'factor'),
      arr('1000', 'factor', '2026-09-30'),
      arr('1234567.89', '', '2026-08-31'),
    ],
  },
  {
    file: 'f32-de-whole-numbers-1252-umlaut.csv',
    taken: [arr('1250', 'factor')],
    source: { system: 'Büro & Söhne' },
  },
  { file: 'x-heading-thousands.csv', refused: 'missing_columns' },
  { file: 'f33-heading-nbsp-end.csv', taken: [arr('1250', 'factor')], source: { system: 'Sheet' } },
  {
    file: 'f33-space.csv',
    taken: ['m_a 2026-10-31 1234.56 EUR', 'm_b 2026-10-31 1234.56', 'm_c 2026-10-31 1234.56 EUR'],
    source: { system: 'f33-space.csv', last_synced: '2026-11-29T12:00:00.000Z' },
  },
  { file: 'f33-nnbsp-thousands-euro.csv', refused: 'two_decimal_marks 2 4' },
  {
    file: 'f34-capitals-and-notes.csv',
    taken: [arr('1250', 'factor')],
    notes: ['columns_left_out Notes'],
  },
  { file: 'f35-blank-and-comma-rows.csv', taken: [arr('1250000')], notes: [] },
  { file: 'f35-one-cell-too-many.csv', wrong: ['2 too_many_cells 7 6'] },
  { file: 'f35-row-shorter-optional-cells-dropped.csv', taken: [arr('1250000')] },
  {
    file: 'f35-total-row-at-end.csv',
    taken: ['2026-10-31', '2026-09-30', '2026-08-31'].map((period) => arr('1250000', '', period)),
    notes: ['totals_left_out 5'],
  },
  { file: 'f35-two-heading-rows.csv', taken: [arr('1250000')], notes: ['heading_row 2'] },
  {
    file: 'f36-keys-turned-into-days.csv',
    taken: ['1-Mar 2026-10-31 5 date', '2-Sep 2026-10-31 5 date'],
  },
  { file: 'f36-scientific-us.csv', wrong: ['2 shortened'] },
  { file: 'f37-okt-2025.csv', taken: ['m_a 2025-10-31 1.5'], notes: ['months 1'] },
  { file: 'f37-janv-24.csv', taken: ['m_a 2024-01-31 1.5'], notes: ['months 1'] },
  {
    file: 'f37-quarters-days.csv',
    taken: ['m_a 2026-03-31 1.5'],
    notes: ['unpivoted', 'columns_left_out FY26', 'quarters 1'],
  },
  {
    file: 'x-all-in-one-column-quoted-by-excel-de.csv',
    taken: [arr('1250', 'factor')],
    notes: ['split'],
  },
  {
    file: 'x-excel-percent-cell-in-value.csv',
    taken: ['gross_margin 2026-11-30 0.781 future,factor'],
  },
  {
    file: 'x-macroman-cr.csv',
    answers: { encoding: 'macintosh' },
    taken: [arr('1250', 'factor')],
    source: { system: 'Büro' },
  },
  {
    file: 'x-macroman-cr.csv',
    answers: { encoding: 'windows-1252' },
    taken: [arr('1250', 'factor')],
    source: { system: 'BŸro' },
  },
  { file: 'x-pasted-de-headings.csv', taken: [arr('1250', 'factor')], source: { system: 'Sheet' } },
  { file: 'x-percent-in-raw-value.csv', taken: ['gross_margin 2026-11-30 78.1 future'] },
  { file: 'x-sep-hint-first-line.csv', taken: [arr('1250', 'factor')], notes: [] },
  {
    file: 'x-template-next-month-old-as-of.csv',
    taken: [arr('3300000', 'future,as_of', '2026-11-30')],
  },
  {
    file: 'x-template-value-text-left-when-number-corrected.csv',
    taken: ['gross_margin 2026-10-31 78.1'],
  },
  {
    file: 'x-unicode-text-tab-utf16.txt',
    taken: [arr('1250', 'factor')],
    source: { system: 'Büro' },
  },
  { file: 'y-changed-number-by-factor-1000.csv', taken: [arr('3279.94', 'factor')] },
  { file: 'y-currency-lower.csv', taken: [arr('1', 'future,factor', '2026-12-31')] },
  {
    file: 'y-currency-other-than-before.csv',
    taken: ['arr 2026-12-31 1 USD future,factor,currency'],
  },
  {
    file: 'y-excel-error-cells.csv',
    wrong: ['2 error_cell', '3 error_cell', '4 no_number', '5 no_number'],
  },
  {
    file: 'y-google-sheets-de-thousands-only.csv',
    answers: { numbers: 'thousands' },
    taken: ['headcount 2026-12-31 1204 future', arr('3280', 'future,factor', '2026-12-31')],
  },
  {
    file: 'y-google-sheets-de-thousands-only.csv',
    answers: { numbers: 'decimals' },
    taken: ['headcount 2026-12-31 1.204 future', arr('3.28', 'future,factor', '2026-12-31')],
  },
  {
    file: 'y-key-as-label.csv',
    taken: [arr('1', 'future,factor', '2026-12-31')],
    notes: ['by_label Annual recurring revenue arr'],
  },
  {
    file: 'y-key-in-capitals.csv',
    answers: { keys: 'known' },
    taken: [arr('1', 'future,factor', '2026-12-31')],
  },
  {
    file: 'y-key-in-capitals.csv',
    answers: { keys: 'new' },
    taken: ['ARR 2026-12-31 1 EUR future,case'],
  },
  {
    file: 'y-last-synced-day-only.csv',
    taken: [arr('1', 'future,factor', '2026-12-31')],
    source: { last_synced: '2026-11-01T00:00:00Z' },
  },
  {
    file: 'y-last-synced-empty.csv',
    taken: [arr('1', 'future,factor', '2026-12-31')],
    source: { last_synced: '2026-11-29T12:00:00.000Z' },
  },
  {
    file: 'y-leading-zero-and-plus.csv',
    taken: [arr('12', 'future,factor', '2026-12-31'), arr('0', 'future', '2026-11-30')],
  },
  { file: 'y-period-far-future-typo.csv', taken: [arr('1', 'future,factor', '2062-10-31')] },
  {
    file: 'y-period-first-of-month.csv',
    answers: { first_days: 'month' },
    taken: [arr('1', 'factor')],
  },
  {
    file: 'y-period-first-of-month.csv',
    answers: { first_days: 'day' },
    taken: [arr('1', 'factor', '2026-10-01')],
  },
  {
    file: 'y-period-month.csv',
    taken: [
      arr('1', 'future,factor', '2026-12-31'),
      arr('1', 'factor'),
      arr('1', 'factor', '2026-09-30'),
    ],
    wrong: ['5 serial'],
    notes: ['months 2', 'quarters 1'],
  },
  {
    file: 'y-same-row-twice-other-value.csv',
    answers: { repeats: 'first' },
    taken: [arr('1', 'future,factor', '2026-12-31')],
  },
  {
    file: 'y-same-row-twice-other-value.csv',
    answers: { repeats: 'last' },
    taken: [arr('2', 'future,factor', '2026-12-31')],
  },
  {
    file: 'z-xlsx-template-saved-by-excel.xlsx',
    taken: ['cash_balance 2026-10-31 4216031.07', 'headcount 2026-11-30 38 future'],
    unchanged: 7,
  },
  {
    file: 'z-xlsx-wide-months.xlsx',
    taken: [
      ...['cash_balance 2026-11-30 4089112.5 future', 'burn_rate 2026-09-30 121020.53'],
      ...['burn_rate 2026-11-30 116918.57 future', 'runway 2026-11-30 35 future'],
      ...['mrr 2026-11-30 281204.1 future', 'arr 2026-10-31 3280000.5'],
      ...['arr 2026-11-30 3374449.2 future', 'revenue 2026-11-30 279800 future'],
      ...['gross_margin 2026-11-30 78.1 future', 'headcount 2026-11-30 38 future'],
    ],
    unchanged: 78,
    notes: [
      ...['unpivoted', 'columns_left_out Unit,2026-12', 'sections_left_out 2,6', 'months 88'],
      [
        ...['by_label Cash balance cash_balance', 'Net burn rate burn_rate', 'Runway runway'],
        ...['Monthly recurring revenue mrr', 'Annual recurring revenue arr', 'Revenue revenue'],
        ...['Gross margin gross_margin', 'Headcount headcount'],
      ].join(' '),
    ],
  },
  {
    file: 'z-xlsx-title-and-total-row.xlsx',
    taken: [
      ...['costs_salaries 2026-10-31 146200 EUR', 'costs_rent 2026-10-31 12400 EUR'],
      'costs_cloud 2026-10-31 8350.75 EUR',
    ],
    notes: ['heading_row 3', 'totals_left_out 7'],
  },
  {
    file: 'z-xlsx-two-sheets.xlsx',
    taken: [arr('3310000', 'future', '2026-11-30'), 'headcount 2026-11-30 38 future'],
  },
  {
    file: 'z-xlsx-two-sheets.xlsx',
    sheet: 'Budget',
    taken: [arr('3450000', 'future', '2026-11-30'), 'headcount 2026-11-30 41 future'],
  },
  {
    file: 'z-xlsx-percent-cells.xlsx',
    answers: { percents: 'percent' },
    taken: [
      'gross_margin 2026-11-30 78.1 future',
      'churn_rate 2026-10-31 2.4',
      'net_retention 2026-10-31 108.5',
    ],
  },
  {
    file: 'z-xlsx-percent-cells.xlsx',
    answers: { percents: 'fraction' },
    taken: [
      'gross_margin 2026-11-30 78.1 future',
      'churn_rate 2026-10-31 0.024',
      'net_retention 2026-10-31 1.085',
    ],
  },
  {
    file: 'z-wide-months-de.csv',
    taken: [
      ...[arr('3374449.2', 'future', '2026-11-30'), 'cash_balance 2026-11-30 4089112.5 future'],
      ...[
        'gross_margin 2026-10-31 77.4',
        'gross_margin 2026-11-30 78.1 future',
        'headcount 2026-11-30 38 future',
      ],
    ],
    unchanged: 15,
  },
  { file: 'z-old-excel-97.xls', refused: 'old_workbook' },
  { file: 'z-dates-in-two-orders.csv', refused: 'two_date_orders 2 3' },
  {
    file: 'z-marks-de-1252.csv',
    taken: [
      ...['arr 2062-10-31 3300000 future', 'cash_balance 2026-10-31 4206031070 factor'],
      ...['mrr 2026-10-31 273328.68 USD currency', 'burn_rate 2026-10-31 118000'],
    ],
  },
  {
    file: 'z-formula-labels.csv',
    taken: [
      ...[
        'licence_fees 2026-10-31 1200 EUR',
        'support_fees 2026-10-31 800 EUR',
        'training_fees 2026-10-31 450.5 EUR',
      ],
      ...['travel_costs 2026-10-31 -310.25 EUR', 'other_income 2026-10-31 75 EUR'],
    ],
  },
];
