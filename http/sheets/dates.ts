import type { Cell } from './sheet.ts';

export type DateOrder = 'day_first' | 'month_first';

export type DateFlaw = 'serial' | 'year_only' | 'no_year' | 'not_a_date' | 'error_cell';

interface Time {
  /** The time at the given offset, as `HH:MM:SS` or `HH:MM:SS.sss`. Null means midnight. */
  readonly time: string | null;
  readonly offset: string;
}

interface ExactDay extends Time {
  readonly kind: 'day';
  readonly day: string;
}

interface NumericDate extends Time {
  readonly kind: 'numeric';
  readonly first: number;
  readonly second: number;
  readonly year: number;
  readonly isDotted: boolean;
}

export type ScannedDate =
  | ExactDay
  | NumericDate
  | { readonly kind: 'month' | 'quarter'; readonly day: string }
  | { readonly kind: 'flaw'; readonly flaw: DateFlaw };

/** The names of months that English, German and French programs write. Accents and points are removed. */
const monthNames = [
  ['jan', 'january', 'januar', 'janner', 'janv', 'janvier'],
  ['feb', 'february', 'februar', 'febr', 'fev', 'fevr', 'fevrier'],
  ['mar', 'march', 'mrz', 'marz', 'maerz', 'mars'],
  ['apr', 'april', 'avr', 'avril'],
  ['may', 'mai'],
  ['jun', 'june', 'juni', 'juin'],
  ['jul', 'july', 'juli', 'juil', 'juillet'],
  ['aug', 'august', 'aout'],
  ['sep', 'sept', 'september', 'septembre'],
  ['oct', 'okt', 'october', 'oktober', 'octobre'],
  ['nov', 'november', 'novembre'],
  ['dec', 'dez', 'december', 'dezember', 'decembre'],
];

const monthOfName = new Map(
  monthNames.flatMap((names, at) => names.map((name) => [name, at + 1] as const)),
);

/** Returns the number of a month, counted from 1. The name may be English, German or French. */
const monthOf = (name = ''): number | undefined =>
  monthOfName.get(
    name
      .normalize('NFD')
      .replaceAll(/[\u0300-\u036f.]/g, '')
      .toLowerCase(),
  );

const createFlaw = (flaw: DateFlaw): ScannedDate => ({ kind: 'flaw', flaw });

/** A longer text isn't a date. */
const maxLength = 60;

/** Reads a date, month or quarter. The rest of the file decides the order of day and month. */
export function scanDate(cell: Cell): ScannedDate {
  if (typeof cell === 'string') return scanText(cell);
  switch (cell.kind) {
    case 'date':
      return cell.isMonth
        ? monthOfParts(cell.day.slice(0, 4), Number(cell.day.slice(5, 7)))
        : { kind: 'day', day: cell.day, time: cell.time, offset: 'Z' };
    case 'number':
      return scanText(cell.text);
    case 'error':
      return createFlaw('error_cell');
    default:
      return createFlaw('not_a_date');
  }
}

const times = String.raw`(?:(?:,?\s+|T)(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?\s*(?<half>[ap]\.?m\.?)?\s*(?<offset>Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?`;
const pattern = (date: string): RegExp => new RegExp(`^${date}${times}$`, 'iu');

const yearFirst = pattern(String.raw`(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})`);
const numeric = pattern(
  String.raw`(?<first>\d{1,2})(?<mark>[-/.])(?<other>\d{1,2})\k<mark>(?<year>\d{4}|\d{2})`,
);
const dayAndName = pattern(
  String.raw`(?<day>\d{1,2})(?:\.|st|nd|rd|th)?[\s-]*(?<name>\p{L}+)\.?[\s-]+(?<year>\d{4}|\d{2})`,
);
const nameAndDay = pattern(
  String.raw`(?<name>\p{L}+)\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<year>\d{4})`,
);
const nameAndYear = /^(?<name>\p{L}+)\.?[\s\-/'’]*(?<year>\d{4}|\d{2})$/iu;
const yearAndName = /^(?<year>\d{4})[\s\-/]+(?<name>\p{L}+)\.?$/iu;
const yearAndMonth = /^(?<year>\d{4})[-/.](?<month>\d{1,2})$/;
const monthAndYear = /^(?<month>\d{1,2})[-/.](?<year>\d{4})$/;
const quarters = [
  /^[QT](?<quarter>[1-4])[\s\-/'’.]*(?<year>\d{4}|\d{2})$/i,
  /^(?<year>\d{4})[\s\-/]*[QT](?<quarter>[1-4])$/i,
  /^(?<quarter>[1-4])[QT][\s\-/'’]*(?<year>\d{4}|\d{2})$/i,
  /^(?<quarter>[1-4])\.?\s*(?:quartal|quarter|trimestre)\s+(?<year>\d{4})$/i,
  /^(?:quartal|quarter|trimestre)\s*(?<quarter>[1-4])[\s/,-]+(?<year>\d{4})$/i,
];
const dayAndNameAlone = /^(?:\d{1,2}\.?[\s-]*(?<name>\p{L}+)|(?<alone>\p{L}+))\.?$/iu;

type Groups = Readonly<Record<string, string | undefined>>;

/** Caches scanned texts, because many rows have the same date. */
const scannedTexts = new Map<string, ScannedDate>();
const maxScannedTexts = 5_000;

function scanText(raw: string): ScannedDate {
  if (raw.length > maxLength) return createFlaw('not_a_date');
  if (scannedTexts.size > maxScannedTexts) scannedTexts.clear();
  return scannedTexts.getOrInsertComputed(raw, scanUncached);
}

function scanUncached(raw: string): ScannedDate {
  const text = raw.trim().replaceAll(/\s+/g, ' ');
  if (text.startsWith('#')) return createFlaw('error_cell');
  const groupsOf = (expression: RegExp): Groups | undefined => expression.exec(text)?.groups;
  const whole = groupsOf(yearFirst);
  if (whole !== undefined) return dateOfParts(whole);
  const parts = groupsOf(numeric);
  if (parts !== undefined) return numericOf(parts);
  const named = groupsOf(dayAndName) ?? groupsOf(nameAndDay);
  if (named !== undefined && monthOf(named.name) !== undefined) return dateOfParts(named);
  return scanMonth(groupsOf) ?? createFlaw(flawOf(text));
}

function scanMonth(groupsOf: (expression: RegExp) => Groups | undefined): ScannedDate | null {
  const numbered = groupsOf(yearAndMonth) ?? groupsOf(monthAndYear);
  if (numbered !== undefined) return monthOfParts(numbered.year, Number(numbered.month));
  const named = groupsOf(nameAndYear) ?? groupsOf(yearAndName);
  const month = monthOf(named?.name);
  if (named !== undefined && month !== undefined) return monthOfParts(named.year, month);
  for (const expression of quarters) {
    const found = groupsOf(expression);
    if (found === undefined) continue;
    const last = monthOfParts(found.year, 3 * Number(found.quarter));
    return last.kind === 'month' ? { kind: 'quarter', day: last.day } : last;
  }
  return null;
}

function flawOf(text: string): DateFlaw {
  if (/^[2-7]\d{4}(?:[.,]\d+)?$/.test(text)) return 'serial';
  if (/^(?:(?:FY|GJ|CY)\s*'?)?(?:19|20)\d{2}$|^(?:FY|GJ|CY)\s*'?\d{2}(?:\/\d{2})?$/i.test(text))
    return 'year_only';
  const { name, alone } = dayAndNameAlone.exec(text)?.groups ?? {};
  return monthOf(name ?? alone) === undefined ? 'not_a_date' : 'no_year';
}

const yearOf = (text = ''): number => Number(text.length === 2 ? `20${text}` : text);

function monthOfParts(year: string | undefined, month: number): ScannedDate {
  if (month < 1 || month > 12) return createFlaw('not_a_date');
  return { kind: 'month', day: dayText(yearOf(year), month, lastDayOf(yearOf(year), month)) };
}

/**
 * Reads a date from the texts of its parts. The parts are `year`, `month` or its `name`, `day`, `hour`, `minute`,
 * `second`, `fraction`, `half` (AM or PM) and `offset`. Without `day`, the date is the last day of the month.
 */
export function dateOfParts(parts: Groups): ScannedDate {
  const year = yearOf(parts.year);
  const month = parts.name === undefined ? Number(parts.month) : (monthOf(parts.name) ?? 0);
  const day = toDay(year, month, Number(parts.day ?? lastDayOf(year, month)));
  const time = timeOf(parts);
  return day === null || time === null ? createFlaw('not_a_date') : { kind: 'day', day, ...time };
}

function numericOf(groups: Groups): ScannedDate {
  const [first, second, year] = [Number(groups.first), Number(groups.other), yearOf(groups.year)];
  const time = timeOf(groups);
  // A date such as `26-10-12` is refused, because `26` may be the year.
  if (groups.mark === '-' && groups.year?.length === 2) return createFlaw('not_a_date');
  const isDate = toDay(year, second, first) !== null || toDay(year, first, second) !== null;
  if (!isDate || time === null) return createFlaw('not_a_date');
  return { kind: 'numeric', first, second, year, isDotted: groups.mark === '.', ...time };
}

/** Returns the time and the offset. Returns null if the time isn't valid. */
function timeOf({ hour, minute = '00', second = '00', fraction, half, offset = 'Z' }: Groups) {
  const zone = /^(?:Z|UTC|GMT)$/i.test(offset) ? 'Z' : offset.replace(/^(...):?(..)$/, '$1:$2');
  if (hour === undefined) return { time: null, offset: zone };
  const hours = half === undefined ? Number(hour) : to24Hours(Number(hour), half);
  if (hours > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const milliseconds = fraction === undefined ? '' : `.${fraction.padEnd(3, '0').slice(0, 3)}`;
  return {
    time: `${`${hours}`.padStart(2, '0')}:${minute}:${second}${milliseconds}`,
    offset: zone,
  };
}

const to24Hours = (hour: number, half: string): number =>
  hour < 1 || hour > 12 ? 24 : (hour % 12) + (/^p/i.test(half) ? 12 : 0);

/** Returns null if the date doesn't exist. */
function toDay(year: number, month: number, day: number): string | null {
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > lastDayOf(year, month)) return null;
  return dayText(year, month, day);
}

const dayText = (year: number, month: number, day: number): string =>
  [`${year}`.padStart(4, '0'), ...[month, day].map((part) => `${part}`.padStart(2, '0'))].join('-');

function lastDayOf(year: number, month: number): number {
  const last = new Date(Date.UTC(2000, 0, 1));
  last.setUTCFullYear(year, month, 0);
  return last.getUTCDate();
}

export function endOfMonth(day: string): string {
  const [year = 0, month = 0] = day.split('-').map(Number);
  return dayText(year, month, lastDayOf(year, month));
}

/** Returns the order of day and month. Returns null if both orders or none give a valid date. */
export function findProvenOrder(date: ScannedDate): DateOrder | null {
  if (date.kind !== 'numeric' || date.first === date.second) return null;
  const dayFirst = toDay(date.year, date.second, date.first) !== null;
  const monthFirst = toDay(date.year, date.first, date.second) !== null;
  if (dayFirst === monthFirst) return null;
  return dayFirst ? 'day_first' : 'month_first';
}

/** Returns true if the order of day and month changes the date. Dates with points always start with the day. */
export const needsOrder = (date: ScannedDate): boolean =>
  date.kind === 'numeric' &&
  !date.isDotted &&
  date.first !== date.second &&
  findProvenOrder(date) === null;

const dayIn = ({ first, second, year }: NumericDate, order: DateOrder): string | null =>
  order === 'day_first' ? toDay(year, second, first) : toDay(year, first, second);

export interface ReadDate {
  readonly day: string;
  readonly kind: 'day' | 'month' | 'quarter';
  /** The time in the format of RFC 3339. A date without a time means midnight in UTC. */
  readonly instant: string;
}

export function resolveDate(date: ScannedDate, order: DateOrder): ReadDate | DateFlaw {
  if (date.kind === 'flaw') return date.flaw;
  if (date.kind !== 'day' && date.kind !== 'numeric') {
    return { day: date.day, kind: date.kind, instant: `${date.day}T00:00:00Z` };
  }
  const day = date.kind === 'day' ? date.day : dayIn(date, order);
  if (day === null) return 'not_a_date';
  return { day, kind: 'day', instant: `${day}T${date.time ?? '00:00:00'}${date.offset}` };
}

/** Returns the period that a column heading names, or null. */
export function readPeriodHeading(cell: Cell): ScannedDate | null {
  if (typeof cell === 'string' && !/\d/.test(cell)) return null;
  const date = scanDate(cell);
  return date.kind === 'flaw' ? null : date;
}
