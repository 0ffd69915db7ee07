import { z } from 'zod';
import { dateOfParts, resolveDate } from '#http';

type DateFormat = z.output<typeof dateFormat>;

const tokens = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<year>\\d{2})',
  MMM: String.raw`(?<name>\p{L}{3,}\.?)`,
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{2})',
  D: '(?<day>\\d{1,2})',
  HH: '(?<hour>\\d{2})',
  H: '(?<hour>\\d{1,2})',
  hh: '(?<hour>\\d{2})',
  h: '(?<hour>\\d{1,2})',
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
    `must contain a year and a month, each once, written with ${dateTokens}`,
  );

export const dateFormat = z.strictObject({
  formats: z.array(datePattern).default([]),
  /** The UTC offset of times that are written without an offset. */
  utc_offset: z
    .string()
    .regex(/^(?:Z|[+-]\d{2}:\d{2})$/, 'must be Z or an offset like +01:00')
    .default('Z'),
  /** The day of the month to use if a date has only a month and a year. */
  month: z.enum(['first_day', 'last_day']).optional(),
});

interface Pattern {
  readonly expression: RegExp;
  readonly hasDay: boolean;
}

/**
 * Returns null if the format is invalid. A format must have a year and a month, and each token at most once. The only
 * other letter is the T between a date and a time.
 */
export function parseFormat(format: string): Pattern | null {
  const usedTokens = new Set<string>();
  let hasOther = false;
  let is12Hours = false;
  const source = format.replaceAll(
    /YYYY|YY|MMM|MM|M|DD|D|HH|H|hh|h|mm|ss|SSS|A|Z|T|[^A-Za-z]|[A-Za-z]/g,
    (piece) => {
      if (isToken(piece)) {
        const group = /<(\w+)>/.exec(tokens[piece])?.[1] ?? '';
        hasOther ||= usedTokens.has(group);
        usedTokens.add(group);
        is12Hours ||= /h/.test(piece);
        return tokens[piece];
      }
      hasOther ||= /[A-SU-Za-z\d]/.test(piece);
      return piece === ' ' ? '\\s+' : piece.replace(/[^T]/, (other) => RegExp.escape(other));
    },
  );
  const has = (...groups: string[]) => groups.filter((group) => usedTokens.has(group)).length === 1;
  const isWhole = has('year') && has('month', 'name') && is12Hours === has('half');
  if (hasOther || !isWhole) return null;
  return { expression: new RegExp(`^${source}$`, 'iu'), hasDay: usedTokens.has('day') };
}

const isToken = (piece: string): piece is keyof typeof tokens => Object.hasOwn(tokens, piece);

type ReadDate = (
  text: string,
) =>
  | { readonly day: string; readonly instant: string }
  | { readonly reason: string; readonly isAmbiguous: boolean };

/**
 * For a text in none of the formats, the returned function returns the reason.
 *
 * @throws Error if `parseFormat` rejects a format
 */
export function createDateReader({ formats, utc_offset, month }: DateFormat): ReadDate {
  const patterns = formats.map((text) => {
    const pattern = parseFormat(text);
    if (pattern === null) throw new Error(`"${text}" isn't a date format`);
    return pattern;
  });
  const defaults = { offset: utc_offset, ...(month === 'first_day' && { day: '1' }) };
  const expected = `is not a date of the form ${formats.join(' or ')}`;
  return (text) => {
    const read = new Map<string, { day: string; instant: string }>();
    for (const { expression } of patterns) {
      const parts = expression.exec(text)?.groups;
      if (parts === undefined) continue;
      const date = resolveDate(dateOfParts({ ...defaults, ...parts }), 'day_first');
      if (typeof date !== 'string') read.set(date.instant, date);
    }
    const [date, other] = read.values();
    if (date === undefined) return { reason: expected, isAmbiguous: false };
    if (other !== undefined) {
      return {
        reason: `may be ${date.day} or ${other.day}: the formats of the mapping allow both`,
        isAmbiguous: true,
      };
    }
    return { day: date.day, instant: date.instant };
  };
}
