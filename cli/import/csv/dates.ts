import { z } from 'zod';
import { monthOf } from '#http';

/** How a file writes its dates. Dates in other formats are rejected, never guessed. */
type DateFormat = z.output<typeof dateFormat>;

const tokens = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<shortYear>\\d{2})',
  MMM: String.raw`(?<monthName>\p{L}{3,}\.?)`,
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{2})',
  D: '(?<day>\\d{1,2})',
  HH: '(?<hour>\\d{2})',
  H: '(?<hour>\\d{1,2})',
  hh: '(?<hour12>\\d{2})',
  h: '(?<hour12>\\d{1,2})',
  mm: '(?<minute>\\d{2})',
  ss: '(?<second>\\d{2})',
  SSS: '(?<fraction>\\d{1,9})',
  A: '(?<half>am|pm)',
  Z: '(?<offset>z|[+\\-]\\d{2}:?\\d{2})',
} as const;

const dateTokens = Object.keys(tokens).join(', ');

export const datePattern = z
  .string()
  .refine(
    (text) => parseFormat(text) !== null,
    `must hold a year and a month, each once, of ${dateTokens}`,
  );

export const dateFormat = z.strictObject({
  formats: z.array(datePattern).default([]),
  /** The offset for times without one. */
  utc_offset: z
    .string()
    .regex(/^(?:Z|[+-]\d{2}:\d{2})$/, 'must be Z or like +01:00')
    .default('Z'),
  /** The day to use if a format has only a month. */
  month: z.enum(['first_day', 'last_day']).optional(),
});

type Parts = Readonly<Record<string, string | undefined>>;

interface Pattern {
  readonly expression: RegExp;
  readonly hasDay: boolean;
}

/**
 * Returns null if the text isn't a valid format. A valid format has a year and a month, and no token twice. Its only
 * other letter is the T between a date and a time.
 */
export function parseFormat(format: string): Pattern | null {
  const seen = new Set<string>();
  let hasOther = false;
  const source = format.replaceAll(
    /YYYY|YY|MMM|MM|M|DD|D|HH|H|hh|h|mm|ss|SSS|A|Z|T|[^A-Za-z]|[A-Za-z]/g,
    (piece) => {
      if (isToken(piece)) {
        const group = /<(\w+)>/.exec(tokens[piece])?.[1] ?? '';
        hasOther ||= seen.has(group);
        seen.add(group);
        return tokens[piece];
      }
      hasOther ||= /[A-SU-Za-z\d]/.test(piece);
      return piece === ' ' ? '\\s+' : piece.replace(/[^T]/, (other) => RegExp.escape(other));
    },
  );
  const has = (...groups: string[]) => groups.filter((group) => seen.has(group)).length === 1;
  const isWhole =
    has('year', 'shortYear') &&
    has('month', 'monthName') &&
    !(has('hour') && has('hour12')) &&
    has('hour12') === has('half');
  if (hasOther || !isWhole) return null;
  return { expression: new RegExp(`^${source}$`, 'iu'), hasDay: seen.has('day') };
}

const isToken = (piece: string): piece is keyof typeof tokens => Object.hasOwn(tokens, piece);

export type ReadDate = (
  text: string,
) =>
  | { readonly day: string; readonly instant: string }
  | { readonly reason: string; readonly isAmbiguous: boolean };

/** @throws Error if `parseFormat` rejects a format */
export function createDateReader(format: DateFormat): ReadDate {
  const patterns = format.formats.map((text) => {
    const pattern = parseFormat(text);
    if (pattern === null) throw new Error(`"${text}" isn't a date format`);
    return pattern;
  });
  const expected = `is not a date of the form ${format.formats.join(' or ')}`;
  return (text) => {
    const read = new Map<string, { day: string; instant: string }>();
    for (const { expression } of patterns) {
      const parts = expression.exec(text)?.groups;
      const date = parts === undefined ? null : toDate(parts, format);
      if (date !== null) read.set(date.instant, date);
    }
    const [date, other] = read.values();
    if (date === undefined) return { reason: expected, isAmbiguous: false };
    if (other !== undefined) {
      return {
        reason: `may be ${date.day} or ${other.day}: the formats of the mapping do not tell`,
        isAmbiguous: true,
      };
    }
    return date;
  };
}

/** Returns null if the date or the time doesn't exist. */
function toDate(parts: Parts, { utc_offset, month: dayOfMonth }: DateFormat) {
  const year = parts.year ?? `20${parts.shortYear}`;
  const month = Number(parts.month ?? monthOf(parts.monthName ?? '') ?? 0);
  const lastDay = new Date(Date.UTC(2000, 0, 1));
  lastDay.setUTCFullYear(Number(year), month, 0);
  const day = Number(parts.day ?? (dayOfMonth === 'first_day' ? 1 : lastDay.getUTCDate()));
  if (month < 1 || month > 12 || day < 1 || day > lastDay.getUTCDate()) return null;
  const time = toTime(parts);
  if (time === null) return null;
  const text = `${year}-${twoDigits(month)}-${twoDigits(day)}`;
  return { day: text, instant: `${text}T${time}${offsetOf(parts.offset ?? utc_offset)}` };
}

function toTime({ hour, hour12, half, minute = '00', second = '00', fraction }: Parts) {
  const hours = hour12 === undefined ? Number(hour ?? 0) : to24Hours(Number(hour12), half);
  if (hours > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const milliseconds = fraction === undefined ? '' : `.${fraction.padEnd(3, '0').slice(0, 3)}`;
  return `${twoDigits(hours)}:${minute}:${second}${milliseconds}`;
}

function to24Hours(hour: number, half = ''): number {
  if (hour < 1 || hour > 12) return 24;
  return (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
}

const offsetOf = (text: string): string =>
  text.toUpperCase() === 'Z' ? 'Z' : text.replace(/^(...):?(..)$/, '$1:$2');

const twoDigits = (number: number): string => `${number}`.padStart(2, '0');
