/**
 * Writes one line of CSV (RFC 4180). Puts an apostrophe before a text that a spreadsheet would read as a formula, and
 * before a text that starts with one. `plainCell` removes it.
 */
export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => quote(defuse(cell ?? ''))).join(',')}\r\n`;
}

/** Includes the full-width forms of East Asia. */
const beginsFormula = /^['=+\-@\t\r\n＝＋－＠]/;
const isNumber = /^-?\d+(?:\.\d+)?$/;

function defuse(cell: string): string {
  return beginsFormula.test(cell) && !isNumber.test(cell) ? `'${cell}` : cell;
}

function quote(cell: string): string {
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
