/**
 * One line of CSV by RFC 4180, for programs and for people who open it in a spreadsheet: a cell that would be a formula
 * there gets an apostrophe before it, and so does a cell that begins with one. Who reads it takes away the apostrophe
 * that a cell begins with. Numbers are left as they are.
 */
export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map((cell) => quote(defuse(cell ?? ''))).join(',')}\r\n`;
}

/** What programs for tables take for a formula, also in the wide forms of East Asia. */
const beginsFormula = /^['=+\-@\t\r\n＝＋－＠]/;
const isNumber = /^-?\d+(?:\.\d+)?$/;

function defuse(cell: string): string {
  return beginsFormula.test(cell) && !isNumber.test(cell) ? `'${cell}` : cell;
}

function quote(cell: string): string {
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
