import { currencyCodes, scanAmount } from './amounts.ts';

export interface NumberFormat {
  readonly kind: 'number' | 'percent' | 'day' | 'month' | 'time';
  readonly currency?: string;
  /** An abbreviation that the format adds to the number, for example `T€`. The stored number is then in thousands. */
  readonly scale?: string;
}

const plain: NumberFormat = { kind: 'number' };

/** Ignores the currencies of built-in formats, because these currencies depend on the computer's settings. */
export function builtInFormat(id: number): NumberFormat {
  if (id === 9 || id === 10) return { kind: 'percent' };
  if (id === 17) return { kind: 'month' };
  if ((id >= 14 && id <= 16) || id === 22) return { kind: 'day' };
  if ((id >= 27 && id <= 31) || (id >= 50 && id <= 54) || id === 36 || id === 57 || id === 58) {
    return { kind: 'day' };
  }
  if ((id >= 18 && id <= 21) || (id >= 45 && id <= 47) || (id >= 32 && id <= 35)) {
    return { kind: 'time' };
  }
  return plain;
}

const symbols: Readonly<Record<string, string>> = {
  '€': 'EUR',
  '£': 'GBP',
  '₹': 'INR',
  '₽': 'RUB',
};

/** No spreadsheet program writes a longer format code. */
const maxCodeLength = 255;

/** Reads a format code such as `dd.mm.yyyy`, `0.0%` or `#,##0.00 "€"`. Uses only the first section of the code. */
export function readFormatCode(code: string): NumberFormat {
  if (code.length > maxCodeLength) return plain;
  const currency = currencyOf(code);
  const [section = ''] = code
    .replaceAll(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]/g, '')
    .replaceAll(/general/gi, '')
    .split(';');
  if (section.includes('%')) return { kind: 'percent' };
  const letters = section
    .toLowerCase()
    .replaceAll(/e[+-]/g, '')
    .replaceAll(/am\/pm|a\/p/g, 'h');
  if (!/[ymdhs]/.test(letters)) {
    const scale = scaleOf(code);
    return { kind: 'number', ...(currency && { currency }), ...(scale && { scale }) };
  }
  if (/d/.test(letters)) return { kind: 'day' };
  if (/[hs]/.test(letters) && !letters.includes('y')) return { kind: 'time' };
  return { kind: letters.includes('m') ? 'month' : 'day' };
}

function currencyOf(code: string): string | null {
  const [section = ''] = code.split(';');
  const [, bracket] = /\[\$([^\]-]+)/.exec(section) ?? [];
  const [, quoted] = /"([^"]*)"/.exec(section) ?? [];
  const [symbol = ''] = /[€£₹₽]/.exec(section) ?? [];
  for (const text of [bracket, quoted, symbol]) {
    if (text === undefined) continue;
    const name = symbols[text.trim()] ?? text.trim();
    if (currencyCodes.has(name)) return name;
  }
  return null;
}

/**
 * Returns the abbreviation in a format code, such as `T€`, or null. Also returns null if a comma follows the digits, as
 * in `#,##0,`. Such a comma divides only the shown number, and the stored number isn't in thousands.
 */
function scaleOf(code: string): string | null {
  const [section = ''] = code.split(';');
  const literal = /"([^"]*)"|((?:\\.)+)/g;
  if (/[0#?],+(?![0#?,])/.test(section.replaceAll(literal, ''))) return null;
  const texts = [...section.matchAll(literal)].map(([text]) =>
    text.replaceAll(/["\\]/g, '').trim(),
  );
  return (
    texts.find((text) => {
      const amount = scanAmount(`1 ${text}`);
      return amount.kind === 'flaw' && amount.flaw === 'abbreviated';
    }) ?? null
  );
}
