declare const decimal: unique symbol;

/** An exact decimal number in its shortest form: "-1250.5", "0", "3". Amounts are never converted to floating point. */
export type Decimal = string & { readonly [decimal]: true };

const numberPattern = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;
type Parts = readonly [string, string, string, string?, string?];
const maxIntegerDigits = 25;
const maxFractionDigits = 25;

/**
 * Parses the text of a JSON number and keeps every digit.
 *
 * @returns null if the text isn't a number, or has more than 25 digits before or after the point
 */
export function parseDecimal(text: string): Decimal | null {
  const match = numberPattern.exec(text) as Parts | null;
  if (!match) return null;
  const [, sign, whole, fraction = '', exponent = 0] = match;
  const shift = Number(exponent);
  if (whole.length + fraction.length > 100 || Math.abs(shift) > 100) return null;
  const digits = `${'0'.repeat(Math.max(0, -shift))}${whole}${fraction}${'0'.repeat(Math.max(0, shift))}`;
  const point = digits.length - fraction.length - Math.max(0, shift) + shift;
  const integer = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  const rest = digits.slice(point).replace(/0+$/, '');
  if (integer.length > maxIntegerDigits || rest.length > maxFractionDigits) return null;
  const magnitude = rest === '' ? integer : `${integer}.${rest}`;
  return (magnitude === '0' ? '0' : `${sign}${magnitude}`) as Decimal;
}

/** Formats an amount in English notation: `$1,250,000.50`, or `48` without a currency. */
export function formatAmount(amount: Decimal, currency: string | null): string {
  let format = formats.get(currency);
  if (format === undefined) {
    format = createFormat(currency);
    if (formats.size >= maxFormats) formats.clear();
    formats.set(currency, format);
  }
  return format.format(amount as `${number}`);
}

/** Formatters are cached, because creating a formatter takes longer than importing a line. */
const formats = new Map<string | null, Intl.NumberFormat>();
const maxFormats = 50;

function createFormat(currency: string | null): Intl.NumberFormat {
  return new Intl.NumberFormat(
    'en-US',
    currency === null
      ? { maximumFractionDigits: maxFractionDigits }
      : { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' },
  );
}
