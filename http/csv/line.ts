/**
 * Writes one line of CSV (RFC 4180). Adds an apostrophe before a text that a spreadsheet would read as a formula, and
 * before a text that starts with an apostrophe. `plainCell` removes the added apostrophe.
 */
export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => quote(escapeFormula(cell ?? ''))).join(',')}\r\n`;
}

/** Includes the full-width characters that East Asian texts use. */
const beginsFormula = /^['=+\-@\t\r\n＝＋－＠]/;
const isNumber = /^-?\d+(?:\.\d+)?$/;

function escapeFormula(cell: string): string {
  return beginsFormula.test(cell) && !isNumber.test(cell) ? `'${cell}` : cell;
}

function quote(cell: string): string {
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
