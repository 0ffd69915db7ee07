/** Returns a whole number below the bound, which decides how the JSON is written. */
export type Choose = (bound: number) => number;

/**
 * Writes a value as another JSON library might: with members in another order, spaces, escapes or
 * other notations of numbers. Stores numbers as doubles, as most libraries do.
 */
export function writeJson(value: unknown, choose: Choose): string {
  const space = () => ['', ' ', '\n', '\t  '][choose(4)];
  const list = (open: string, parts: readonly string[], close: string) =>
    `${open}${space()}${parts.join(`${space()},${space()}`)}${space()}${close}`;
  if (typeof value === 'string') return writeText(value, choose);
  if (typeof value === 'number') return writeNumber(value, choose);
  if (Array.isArray(value)) {
    return list(
      '[',
      value.map((item) => writeJson(item, choose)),
      ']',
    );
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${writeText(name, choose)}${space()}:${writeJson(member, choose)}`,
  );
  return list('{', shuffle(members, choose), '}');
}

function writeText(text: string, choose: Choose): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const units = text.split('').map((unit) => {
    if (choose(4) === 0 || /["\\\p{Cc}\p{Cs}]/u.test(unit)) return escaped(unit);
    return unit;
  });
  return `"${units.join('')}"`;
}

function writeNumber(number: number, choose: Choose): string {
  const shortest = `${number}`;
  // Seventeen digits distinguish each double from all others.
  const exponential = number.toExponential(16);
  const trailing = /^-?\d+$/.test(shortest) ? `${shortest}.0` : shortest;
  return [shortest, exponential, exponential.toUpperCase(), trailing][choose(4)] ?? shortest;
}

function shuffle(parts: readonly string[], choose: Choose): string[] {
  const left = [...parts];
  return parts.flatMap(() => left.splice(choose(left.length), 1));
}
