/**
 * Writes one line of CSV (RFC 4180). A cell that a spreadsheet would read as a formula gets an apostrophe in front, and
 * so
 * does a cell that starts with an apostrophe. Readers remove that apostrophe. Numbers stay unchanged.
 */
export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => quote(defuse(cell ?? ''))).join(',')}\r\n`;
}

/** Texts that spreadsheets take for a formula, including the full-width forms of East Asia. */
const beginsFormula = /^['=+\-@\t\r\n＝＋－＠]/;
const isNumber = /^-?\d+(?:\.\d+)?$/;

function defuse(cell: string): string {
  return beginsFormula.test(cell) && !isNumber.test(cell) ? `'${cell}` : cell;
}

function quote(cell: string): string {
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
