import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  currencySymbols,
  type DecimalMark,
  readDigits,
  type ScannedAmount,
  scanAmount,
} from './amounts.ts';
import {
  type DateFlaw,
  type DateOrder,
  endOfMonth,
  findProvenOrder,
  needsOrder,
  type ReadDate,
  resolveDate,
  type ScannedDate,
  scanDate,
} from './dates.ts';
import type { Note, ProblemCode, RowProblem } from './findings.ts';
import type { ColumnName } from './headings.ts';
import { type FoundKey, type KnownMetric, KnownMetrics, percentScaleOf } from './keys.ts';
import { columnLetters, findLayout, type Layout } from './layout.ts';
import {
  createQuestion,
  type Example,
  type SheetAnswers,
  type SheetQuestion,
} from './questions.ts';
import type { Proof } from './refusal.ts';
import { RefusedFile } from './refused-file.ts';
import { type Cell, isEmptyCell, type Sheet, type SheetRow, shiftPoint, textOf } from './sheet.ts';

export interface SheetRecord {
  readonly line: number;
  readonly fields: SheetFields;
  /** The amount as its cell shows it. Null if this text equals the plain number. */
  readonly shown: string | null;
}

interface SheetFields {
  readonly type: 'metric';
  readonly company_id?: string;
  readonly key: string;
  readonly label?: string;
  readonly currency: string | null;
  readonly period: string;
  readonly raw_value: { readonly rawJSON: string };
  /** The display text with a percent sign. Absent if the company's metric is already a percentage. */
  readonly value?: string;
  readonly [field: string]: unknown;
}

export interface ReadSheet {
  /** Empty until all questions are answered. */
  readonly records: readonly SheetRecord[];
  readonly problems: readonly RowProblem[];
  readonly questions: readonly SheetQuestion[];
  readonly notes: readonly Note[];
}

interface ReadOptions {
  readonly known: readonly KnownMetric[];
  readonly answers: SheetAnswers;
  /** The source for rows that name no source. */
  readonly source: { readonly system: string; readonly method: string; readonly lastSynced: Date };
  readonly maxRecords: number;
}

/**
 * Reads the records of a sheet. If cells can be read in two ways, returns questions instead.
 *
 * @throws RefusedFile
 */
export const readSheet = (sheet: Sheet, options: ReadOptions): Promise<ReadSheet> =>
  readRows(sheet, options).catch((error: unknown) => {
    if (!(error instanceof RefusedFile)) throw error;
    throw new RefusedFile(error.refusal, sheet.otherNames);
  });

async function readRows(sheet: Sheet, options: ReadOptions): Promise<ReadSheet> {
  const layout = findLayout(sheet);
  const scanned = await scanRows(sheet, layout, options);
  const order = decideOrder(scanned.dates, options.answers);
  const mark = decideMark(scanned.items, options.answers);
  const reading = new Reading(options, order, mark);
  const questions = [...encodingQuestion(sheet), ...(await reading.findQuestions(scanned))];
  if (questions.length > 0) return { records: [], problems: [], questions, notes: [] };
  return reading.read(sheet, layout, scanned);
}

/** A value whose date order and decimal mark aren't decided yet. The rest of the file decides both. */
interface Item {
  readonly line: number;
  readonly row: SheetRow;
  readonly key: string;
  readonly period: ScannedDate | null;
  readonly periodText: string;
  readonly amount: ScannedAmount;
  readonly amountText: string;
  readonly amountColumn: string;
}

interface Scanned {
  readonly items: readonly Item[];
  readonly problems: readonly RowProblem[];
  readonly totals: readonly number[];
  readonly sections: readonly number[];
  /** All dates of the file. They all have the same order of day and month. */
  readonly dates: readonly FoundDate[];
  /** Columns that have filled cells but no heading. */
  readonly unnamed: ReadonlySet<number>;
  readonly cellOf: CellOf;
  readonly known: KnownMetrics;
}

type CellOf = (row: SheetRow, name: ColumnName) => Cell | undefined;

interface FoundDate extends Proof {
  readonly key: string;
  readonly date: ScannedDate;
}

const rowsPerTurn = 200;

async function scanRows(
  sheet: Sheet,
  layout: Layout,
  { known: metrics, maxRecords }: ReadOptions,
): Promise<Scanned> {
  const { headings, columns, periods } = layout;
  const known = new KnownMetrics(metrics);
  const items: Item[] = [];
  const problems: RowProblem[] = sheet.flaws.map(({ line, flaw }) => ({
    line,
    column: null,
    code: flaw,
    text: '',
  }));
  const totals: number[] = [];
  const sections: number[] = [];
  const unnamed = new Set<number>();
  const width = Math.max(headings.width ?? 0, headings.cells.length);
  const headingTexts = headings.cells.map(textOf);
  const amountColumns = periods ?? [{ at: columns.get('raw_value') ?? -1, date: null }];
  const cellOf: CellOf = ({ cells }, name) => {
    const at = columns.get(name);
    const cell = at === undefined ? undefined : cells[at];
    return isEmptyCell(cell) ? undefined : cell;
  };
  const dates: FoundDate[] = (periods ?? []).map(({ at, date }) => ({
    ...{ line: headings.line, text: headingTexts[at] ?? '', key: '' },
    date,
  }));
  for (const [at, row] of sheet.rows.entries()) {
    if (at % rowsPerTurn === rowsPerTurn - 1) await nextTurn();
    if (at < layout.start) continue;
    const { line, cells } = row;
    if (row.width !== undefined && cells.length > width) {
      const counts = [cells.length, headings.cells.length] as const;
      problems.push({ line, column: null, code: 'too_many_cells', text: '', counts });
      continue;
    }
    for (const [index, cell] of cells.entries()) {
      if (!isEmptyCell(cell) && (headingTexts[index] ?? '') === '') unnamed.add(index);
    }
    const key = withoutGuard(textOf(cellOf(row, 'key')));
    if (key !== '' && isTotal(key, known)) {
      totals.push(line);
      continue;
    }
    const hasAmount = amountColumns.some(({ at: index }) => !isEmptyCell(cells[index]));
    const isSection = !hasAmount && (periods !== null || hasOneText(row, columns));
    if (isSection || isHeadingAgain(row, headingTexts)) {
      sections.push(line);
      continue;
    }
    const periodCell = cellOf(row, 'period');
    const ofRow = periodCell === undefined ? null : scanDate(periodCell);
    if (ofRow !== null) dates.push({ line, text: textOf(periodCell), key, date: ofRow });
    for (const name of ['as_of', 'source.last_synced'] as const) {
      const cell = cellOf(row, name);
      if (cell !== undefined) dates.push({ line, text: textOf(cell), key, date: scanDate(cell) });
    }
    for (const { at: index, date } of amountColumns) {
      const cell = isEmptyCell(cells[index]) ? undefined : cells[index];
      if (periods !== null && cell === undefined) continue;
      const column = headingTexts[index] ?? '';
      items.push({
        ...{ line, row, key, amount: scanAmount(cell), amountText: textOf(cell) },
        period: date ?? ofRow,
        periodText: periods === null ? textOf(periodCell) : column,
        amountColumn: column,
      });
    }
    if (items.length + problems.length > maxRecords) {
      throw new RefusedFile({ code: 'too_many_rows', most: maxRecords });
    }
  }
  if (items.length + problems.length === 0) throw new RefusedFile({ code: 'no_rows' });
  return { items, problems, totals, sections, dates, unnamed, cellOf, known };
}

/** Removes the apostrophe that `csvLine` adds before a text that a spreadsheet would read as a formula. */
const withoutGuard = (text: string): string => text.replace(/^'(?=['=+\-@\t\r\n＝＋－＠])/, '');

const totalWords =
  /^(?:(?:grand\s+|sub-?\s?)?totals?|sum|(?:gesamt|zwischen)?summen?|gesamt(?:betrag)?|insgesamt|somme|total\s+général|∑|Σ)(?:\s+(?:\d{4}|q[1-4]|[a-z]{3}))*\s*:?$/i;

const isTotal = (key: string, known: KnownMetrics): boolean =>
  totalWords.test(key) && !['known', 'label'].includes(known.find(key).kind);

/** Returns true for a row with a single text, such as a section heading or a note below the table. */
function hasOneText({ cells }: SheetRow, columns: Layout['columns']): boolean {
  const filled = cells.filter((cell) => !isEmptyCell(cell));
  const [only] = filled;
  return filled.length === 1 && only !== cells[columns.get('period') ?? -1];
}

/** Returns true for a repeated heading row. Some programs write the headings again on each page. */
const isHeadingAgain = ({ cells }: SheetRow, headings: readonly string[]): boolean =>
  cells.length === headings.length && cells.every((cell, at) => textOf(cell) === headings[at]);

/**
 * Returns the order of day and month for the complete file. Null if neither the dates nor an answer decide.
 *
 * @throws RefusedFile if two dates prove opposite orders
 */
function decideOrder(
  dates: readonly FoundDate[],
  { dates: answer }: SheetAnswers,
): DateOrder | null {
  const proofOf = (order: DateOrder) => dates.find(({ date }) => findProvenOrder(date) === order);
  const [dayFirst, monthFirst] = [proofOf('day_first'), proofOf('month_first')];
  if (dayFirst !== undefined && monthFirst !== undefined)
    throw new RefusedFile({ code: 'two_date_orders', dayFirst, monthFirst });
  if (dayFirst !== undefined) return 'day_first';
  if (monthFirst !== undefined) return 'month_first';
  if (answer !== undefined) return answer;
  return dates.some(({ date }) => needsOrder(date)) ? null : 'day_first';
}

/**
 * Returns the decimal mark for the complete file. Null if neither the amounts nor an answer decide.
 *
 * @throws RefusedFile if two amounts prove different marks
 */
function decideMark(items: readonly Item[], { numbers: answer }: SheetAnswers): DecimalMark | null {
  const withMark = (mark: DecimalMark | 'open') =>
    items.find(({ amount }) => amount.kind === 'number' && amount.mark === mark);
  const [comma, point, open] = [withMark('comma'), withMark('point'), withMark('open')];
  const proofOf = ({ line, amountText: text }: Item): Proof => ({ line, text });
  if (comma !== undefined && point !== undefined) {
    throw new RefusedFile({
      code: 'two_decimal_marks',
      comma: proofOf(comma),
      point: proofOf(point),
    });
  }
  if (comma !== undefined) return 'comma';
  if (point !== undefined || open === undefined) return 'point';
  return answer === undefined ? null : markOf(open, answer);
}

/** Returns the file's decimal mark, from an amount with one point or comma. `meaning` is the person's answer. */
const markOf = ({ amount }: Item, meaning: 'thousands' | 'decimals'): DecimalMark =>
  (amount.kind === 'number' && amount.digits.includes('.')) === (meaning === 'decimals')
    ? 'point'
    : 'comma';

function encodingQuestion({ encodingExample }: Sheet): readonly SheetQuestion[] {
  if (encodingExample === null) return [];
  const { line, readings } = encodingExample;
  const text = readings['windows-1252'];
  return createQuestion('encoding', [
    { line, key: '', text, readings: [text, readings.macintosh] },
  ]);
}

interface ReadValue {
  readonly item: Item;
  readonly key: string;
  readonly period: ReadDate;
  readonly amount: string;
  readonly currency: string | null;
}

interface ReadValues {
  readonly values: readonly ReadValue[];
  readonly problems: readonly RowProblem[];
  readonly dashes: readonly number[];
  readonly totals: readonly number[];
}

class Reading {
  readonly #options: ReadOptions;
  readonly #order: DateOrder | null;
  readonly #mark: DecimalMark | null;
  #read: Promise<ReadValues> | null = null;

  constructor(options: ReadOptions, order: DateOrder | null, mark: DecimalMark | null) {
    this.#options = options;
    this.#order = order;
    this.#mark = mark;
  }

  async findQuestions(scanned: Scanned): Promise<readonly SheetQuestion[]> {
    const found: SheetQuestion[] = [];
    for (const find of [
      this.#questionsAboutOrder,
      this.#questionsAboutMark,
      this.#questionsAboutDashes,
      this.#questionsAboutKeys,
      this.#questionsAboutFirstDays,
      this.#questionsAboutPercents,
    ]) {
      found.push(...find.call(this, scanned));
      await nextTurn();
    }
    return found.length > 0 ? found : this.#questionsAboutRepeats(scanned);
  }

  #questionsAboutOrder({ dates }: Scanned): readonly SheetQuestion[] {
    if (this.#order !== null) return [];
    const dayOf = (date: ScannedDate, order: DateOrder): string => {
      const read = resolveDate(date, order);
      return typeof read === 'string' ? '' : read.day;
    };
    const examples = dates
      .filter(({ date }) => needsOrder(date))
      .map(({ date, ...row }): Example => {
        return { ...row, readings: [dayOf(date, 'day_first'), dayOf(date, 'month_first')] };
      });
    return createQuestion('dates', examples);
  }

  #questionsAboutMark({ items }: Scanned): readonly SheetQuestion[] {
    if (this.#mark !== null) return [];
    const open = items.filter(({ amount }) => amount.kind === 'number' && amount.mark === 'open');
    const [first] = open;
    if (first === undefined) return [];
    const examples = open.map((item): Example => {
      const as = (meaning: 'thousands' | 'decimals') =>
        item.amount.kind === 'number' ? readDigits(item.amount, markOf(first, meaning)) : '';
      return { ...exampleOf(item), readings: [as('thousands'), as('decimals')] };
    });
    return createQuestion('numbers', examples);
  }

  #questionsAboutDashes({ items }: Scanned): readonly SheetQuestion[] {
    if (this.#options.answers.dashes !== undefined) return [];
    const dashes = items.filter(({ amount }) => amount.kind === 'dash');
    return createQuestion(
      'dashes',
      dashes.map((item) => ({ ...exampleOf(item), readings: ['0', ''] })),
    );
  }

  #questionsAboutKeys({ items, known }: Scanned): readonly SheetQuestion[] {
    if (this.#options.answers.keys !== undefined) return [];
    const near = new Map<string, Example>();
    for (const item of items) {
      const found = known.find(item.key);
      if (found.kind !== 'near' || near.has(item.key)) continue;
      near.set(item.key, { ...exampleOf(item), text: item.key, readings: [found.known, item.key] });
    }
    return createQuestion('keys', [...near.values()]);
  }

  #questionsAboutFirstDays({ items, known }: Scanned): readonly SheetQuestion[] {
    // The order of day and month must be known first. It decides which dates are the first day of a month.
    if (this.#order === null || this.#options.answers.first_days !== undefined) return [];
    const monthly = known.all().some(isAtEndOfMonth);
    const examples = items.flatMap((item): Example[] => {
      const read = this.#periodOf(item);
      if (typeof read === 'string' || read.kind !== 'day' || !read.day.endsWith('-01')) return [];
      const metric = known.get(this.#keyOf(item, known) ?? '');
      if (metric === undefined ? !monthly : !isAtEndOfMonth(metric)) return [];
      return [
        { ...exampleOf(item), text: item.periodText, readings: [endOfMonth(read.day), read.day] },
      ];
    });
    return createQuestion('first_days', examples);
  }

  #questionsAboutPercents({ items, known }: Scanned): readonly SheetQuestion[] {
    if (this.#mark === null || this.#options.answers.percents !== undefined) return [];
    const examples = items.flatMap((item): Example[] => {
      const { amount } = item;
      if (amount.kind !== 'number' || !amount.isPercent) return [];
      if (percentScaleOf(known.get(this.#keyOf(item, known) ?? '')) !== null) return [];
      const as = (scale: 'percent' | 'fraction') => this.#amountOf(item, scale);
      return [{ ...exampleOf(item), readings: [as('percent'), as('fraction')] }];
    });
    return createQuestion('percents', examples);
  }

  async #questionsAboutRepeats(scanned: Scanned): Promise<readonly SheetQuestion[]> {
    if (this.#options.answers.repeats !== undefined) return [];
    const { values: read } = await this.#valuesOf(scanned);
    const groups = Map.groupBy(read, ({ key, period }) => `${key} ${period.day}`);
    const examples = [...groups.values()].flatMap((values): Example[] => {
      const [first] = values;
      const last = values.at(-1);
      if (first === undefined || last === undefined) return [];
      const isSame = values.every(
        ({ amount, currency }) => amount === first.amount && currency === first.currency,
      );
      if (isSame) return [];
      const readings = [first, last].map(
        ({ item, amount }) => `${item.line}: ${amount}`,
      ) as unknown as Example['readings'];
      return [{ line: first.item.line, key: first.key, text: first.period.day, readings }];
    });
    return createQuestion('repeats', examples);
  }

  #periodOf({ period }: Item): ReadDate | DateFlaw {
    return period === null ? 'not_a_date' : resolveDate(period, this.#order ?? 'day_first');
  }

  #keyOf({ key }: Item, known: KnownMetrics): string | null {
    const found = known.find(key);
    switch (found.kind) {
      case 'known':
      case 'label':
      case 'standard':
      case 'new':
        return found.key;
      case 'near':
        if (this.#options.answers.keys === 'known') return found.known;
        return found.isKey ? key : null;
      default:
        return null;
    }
  }

  #showsNewPercent({ amount }: Item, metric: KnownMetric | undefined): boolean {
    return amount.kind === 'number' && amount.isPercent && percentScaleOf(metric) === null;
  }

  #amountOf({ amount }: Item, scale: 'percent' | 'fraction'): string {
    if (amount.kind !== 'number') return '';
    const number = readDigits(amount, this.#mark ?? 'point');
    if (!amount.isPercent) return number;
    if (amount.isTyped) return scale === 'percent' ? shiftPoint(number, 2) : number;
    return scale === 'percent' ? number : shiftPoint(number, -2);
  }

  #valuesOf(scanned: Scanned) {
    this.#read ??= this.#readItems(scanned);
    return this.#read;
  }

  async #readItems({ items, known, cellOf }: Scanned): Promise<ReadValues> {
    const { answers } = this.#options;
    const values: ReadValue[] = [];
    const problems: RowProblem[] = [];
    const dashes: number[] = [];
    const totals: number[] = [];
    const withoutKey = new Set<number>();
    let sum = 0;
    for (const [at, item] of items.entries()) {
      if (at % rowsPerTurn === rowsPerTurn - 1) await nextTurn();
      const { line, row, amount, amountText, amountColumn } = item;
      const refuse = (code: ProblemCode, text: string, column: string | null) =>
        problems.push({ line, column, code, text });
      const found = known.find(item.key);
      const key = this.#keyOf(item, known);
      const scale = percentScaleOf(known.get(key ?? '')) ?? answers.percents ?? 'percent';
      const number = amount.kind === 'dash' ? '0' : this.#amountOf(item, scale);
      if (item.key === '' && item.period === null && isSumOf(number, sum)) {
        totals.push(line);
        continue;
      }
      if (item.key === '' || key === null) {
        // With one column per period, a row has one key for many values. So a bad key is reported only once per row.
        if (!withoutKey.has(line)) refuse(codeOfKey(found, item.key), item.key, null);
        withoutKey.add(line);
        continue;
      }
      if (item.period === null) {
        refuse('no_period', '', null);
        continue;
      }
      const period = this.#periodOf(item);
      if (typeof period === 'string') {
        refuse(period, item.periodText, null);
        continue;
      }
      if (amount.kind === 'dash' && answers.dashes === 'none') {
        dashes.push(line);
        continue;
      }
      if (amount.kind === 'flaw' || amount.kind === 'empty') {
        refuse(amount.kind === 'flaw' ? amount.flaw : 'no_number', amountText, amountColumn);
        continue;
      }
      const ofCell = readCurrency(cellOf(row, 'currency'));
      const ofAmount = amount.kind === 'number' ? amount.currency : null;
      if (ofCell === undefined) {
        refuse('bad_currency', textOf(cellOf(row, 'currency')), null);
        continue;
      }
      const isTyped = amount.kind === 'number' && amount.isTyped;
      if (ofCell !== null && ofAmount !== null && ofCell !== ofAmount && !isTyped) {
        refuse('two_currencies', amountText, amountColumn);
        continue;
      }
      sum += Number(number);
      values.push({
        item,
        key,
        period: this.#toMonth(period),
        amount: number,
        currency: ofCell ?? ofAmount,
      });
    }
    return { values, problems, dashes, totals };
  }

  /** Replaces the first day of a month with the month if the person chose this. */
  #toMonth(period: ReadDate): ReadDate {
    const isMonth = period.day.endsWith('-01') && this.#options.answers.first_days === 'month';
    return isMonth ? { ...period, day: endOfMonth(period.day), kind: 'month' } : period;
  }

  async read(sheet: Sheet, layout: Layout, scanned: Scanned): Promise<ReadSheet> {
    const read = await this.#valuesOf(scanned);
    const problems = [...scanned.problems, ...read.problems];
    const records: SheetRecord[] = [];
    const isFirst = this.#options.answers.repeats === 'first';
    const byPeriod = new Map<string, ReadValue>();
    for (const value of read.values) {
      const name = `${value.key} ${value.period.day}`;
      if (!isFirst || !byPeriod.has(name)) byPeriod.set(name, value);
    }
    const taken = new Set(byPeriod.values());
    for (const [at, value] of read.values.entries()) {
      if (at % rowsPerTurn === rowsPerTurn - 1) await nextTurn();
      const made = this.#fieldsOf(value, layout, scanned);
      if ('problem' in made) problems.push(made.problem);
      else if (taken.has(value) || this.#options.answers.repeats === undefined) {
        const { amountText: text, line } = value.item;
        records.push({ line, fields: made.fields, shown: text === value.amount ? null : text });
      }
    }
    return {
      records,
      problems: problems.toSorted((one, other) => one.line - other.line),
      questions: [],
      notes: notesOf(sheet, layout, scanned, read),
    };
  }

  #fieldsOf(
    { item, key, period, amount, currency }: ReadValue,
    layout: Layout,
    { cellOf, known }: Pick<Scanned, 'cellOf' | 'known'>,
  ): { readonly fields: SheetFields } | { readonly problem: RowProblem } {
    const { row, line } = item;
    const { source } = this.#options;
    const text = (name: ColumnName) => withoutGuard(textOf(cellOf(row, name))) || undefined;
    const headingOf = (name: ColumnName) =>
      textOf(layout.headings.cells[layout.columns.get(name) ?? -1]);
    const instants = new Map<ColumnName, string>();
    for (const name of ['as_of', 'source.last_synced'] as const) {
      const cell = cellOf(row, name);
      if (cell === undefined) continue;
      const date = resolveDate(scanDate(cell), this.#order ?? 'day_first');
      if (typeof date === 'string')
        return { problem: { line, column: headingOf(name), code: date, text: textOf(cell) } };
      instants.set(name, date.instant);
    }
    const flag = readFlag(cellOf(row, 'verification.verified'));
    if (flag === null) {
      const column = 'verification.verified';
      const written = text(column) ?? '';
      return { problem: { line, column: headingOf(column), code: 'bad_flag', text: written } };
    }
    const found = known.find(item.key);
    const companyId = text('company_id');
    const label = text('label') ?? (found.kind === 'standard' ? found.label : undefined);
    const signature = text('verification.source_signature');
    const fields: SheetFields = {
      type: 'metric',
      ...(companyId !== undefined && { company_id: companyId }),
      key,
      ...(label !== undefined && { label }),
      currency: currency ?? layout.currency,
      period: period.day,
      raw_value: JSON.rawJSON(amount),
      ...(this.#showsNewPercent(item, known.get(key)) && {
        value: `${this.#amountOf(item, 'percent')}%`,
      }),
      ...present({
        category: text('category'),
        confidence: text('confidence'),
        as_of: instants.get('as_of'),
      }),
      source: {
        system: text('source.system') ?? source.system,
        method: text('source.method') ?? source.method,
        last_synced: instants.get('source.last_synced') ?? source.lastSynced.toISOString(),
        ...present({ signature }),
      },
      ...(flag !== undefined && { verification: { verified: flag } }),
    };
    return { fields };
  }
}

const present = (fields: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const exampleOf = ({ line, key, amountText: text }: Item) => ({ line, key, text });

const isAtEndOfMonth = ({ period }: KnownMetric): boolean => endOfMonth(period) === period;

/** Allows a small difference, because rounding may change the last digits of a sum. */
const isSumOf = (number: string, sum: number): boolean =>
  number !== '' && sum !== 0 && Math.abs(Number(number) - sum) <= Math.abs(sum) * 1e-9;

const codeOfKey = ({ kind }: FoundKey, text: string): ProblemCode => {
  if (text === '') return 'no_key';
  return kind === 'two_labels' ? kind : 'bad_key';
};

/** Returns the currency code. Returns null for an empty cell and undefined for an invalid text. */
function readCurrency(cell: Cell | undefined): string | null | undefined {
  if (cell === undefined) return null;
  const text = textOf(cell);
  const code = currencySymbols.get(text) ?? text.toUpperCase();
  return /^[A-Z]{3}$/.test(code) ? code : undefined;
}

const flags = new Map([
  ...['true', 'wahr', 'vrai', '1', 'yes', 'ja', 'oui'].map((word) => [word, true] as const),
  ...['false', 'falsch', 'faux', '0', 'no', 'nein', 'non'].map((word) => [word, false] as const),
]);

/** Returns true or false. Returns undefined for an empty cell and null for an invalid text. */
function readFlag(cell: Cell | undefined): boolean | null | undefined {
  return cell === undefined ? undefined : (flags.get(textOf(cell).toLowerCase()) ?? null);
}

function notesOf(
  sheet: Sheet,
  layout: Layout,
  { sections, unnamed, totals, known }: Scanned,
  { dashes, values, totals: unnamedTotals }: ReadValues,
): readonly Note[] {
  const { headings, leftOut, periods } = layout;
  const readColumns = new Set([...layout.columns.values(), ...(periods ?? []).map(({ at }) => at)]);
  const named = leftOut.map((at) => textOf(headings.cells[at]));
  const withValues = new Set(values.map(({ item }) => item.amountColumn));
  const empty = (periods ?? [])
    .map(({ at }) => textOf(headings.cells[at]))
    .filter((heading) => !withValues.has(heading));
  const others = [...unnamed].filter((at) => !readColumns.has(at)).map(columnLetters);
  const headingsLeftOut = [...named, ...others, ...empty];
  const count = (kind: ReadDate['kind']) =>
    values.filter(({ period }) => period.kind === kind).length;
  const byLabel = new Map<string, string>();
  for (const { item, key } of values) {
    if (['label', 'standard'].includes(known.find(item.key).kind)) byLabel.set(item.key, key);
  }
  const lines = (
    code: 'totals_left_out' | 'sections_left_out' | 'dashes_left_out',
    all: readonly number[],
  ) => (all.length > 0 ? [{ code, lines: all }] : []);
  const { encoding } = sheet;
  return [
    ...(encoding !== null && encoding !== 'utf-8' ? [{ code: 'encoding' as const, encoding }] : []),
    ...(sheet.isSplit ? [{ code: 'split' as const }] : []),
    ...(layout.start > 1 ? [{ code: 'heading_row' as const, line: headings.line }] : []),
    ...(periods !== null ? [{ code: 'unpivoted' as const }] : []),
    ...(headingsLeftOut.length > 0
      ? [{ code: 'columns_left_out' as const, headings: headingsLeftOut }]
      : []),
    ...lines('totals_left_out', [...totals, ...unnamedTotals]),
    ...lines('sections_left_out', sections),
    ...lines('dashes_left_out', dashes),
    ...(['month', 'quarter'] as const).flatMap((kind) =>
      count(kind) > 0 ? [{ code: `${kind}s` as const, count: count(kind) }] : [],
    ),
    ...(byLabel.size > 0 ? [{ code: 'by_label' as const, labels: byLabel }] : []),
  ];
}
