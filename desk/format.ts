export type Format = ReturnType<typeof createFormat>;

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const amountFormat = (language: string, currency: string) =>
  new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    trailingZeroDisplay: 'stripIfInteger',
  });

/** Formats all times in UTC and names the time zone, so that all users see the same text. */
export function createFormat(language: string) {
  const timeZone = 'UTC';
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone });
  const time = new Intl.DateTimeFormat(language, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  });
  const number = new Intl.NumberFormat(language);
  const decimal = new Intl.NumberFormat(language, { maximumFractionDigits: 100 });
  const amounts = new Map<string, Intl.NumberFormat>();
  const seconds = new Intl.NumberFormat(language, {
    style: 'unit',
    unit: 'second',
    unitDisplay: 'long',
  });
  const change = new Intl.NumberFormat(language, {
    style: 'percent',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
    signDisplay: 'exceptZero',
  });
  const short = { notation: 'compact', maximumFractionDigits: 2 } as const;
  const compact = new Map<string | null, Intl.NumberFormat>();
  const compactOf = (currency: string | null) =>
    compact.getOrInsertComputed(
      currency,
      () =>
        new Intl.NumberFormat(
          language,
          currency === null
            ? short
            : { ...short, style: 'currency', currency, minimumFractionDigits: 0 },
        ),
    );
  const index = new Intl.NumberFormat(language, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  const list = new Intl.ListFormat(language, { type: 'conjunction' });
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  return {
    date: (instant: Date) => date.format(instant),
    dateTime: (instant: Date) => `${date.format(instant)}, ${time.format(instant)} UTC`,
    number: (value: number) => number.format(value),
    /** "1 second", "2 seconds" */
    seconds: (count: number) => seconds.format(count),
    /** The number may have any length and keeps all its digits. */
    decimal: (text: string) => decimal.format(text as `${number}`),
    amount: (text: string, currency: string) =>
      amounts
        .getOrInsertComputed(currency, () => amountFormat(language, currency))
        .format(text as `${number}`),
    change: (ratio: number) => change.format(ratio),
    /** For the ticks of a plot: "$1.5M". */
    compact: (amount: number, currency: string | null) => compactOf(currency).format(amount),
    index: (value: number) => index.format(value),
    list: (items: readonly string[]) => list.format(items),
    /** "in 3 days", "2 hours ago" */
    relative(instant: Date, now: Date) {
      const seconds = (instant.getTime() - now.getTime()) / 1_000;
      const [unit, size] = units.find(([, each]) => Math.abs(seconds) >= each) ?? units[4];
      return relative.format(Math.round(seconds / size), unit);
    },
  };
}
