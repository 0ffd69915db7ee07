import { readPeriodHeading } from './dates.ts';
import { readHeading } from './headings.ts';

const delimiters = [',', ';', '\t', '|'] as const;

const maxLines = 30;
const maxCharacters = 65_536;

/** Finds the separator with the most headings. `isNamed` is true if the first line only names it, as in `sep=;`. */
export function detectDelimiter(text: string): { delimiter: string; isNamed: boolean } {
  const head = text.slice(0, maxCharacters);
  const [, named] = /^"?sep=(.)"?[ \t]*(?:\r\n|\r|\n|$)/i.exec(head) ?? [];
  if (named !== undefined) return { delimiter: named, isNamed: true };
  const lines = head
    .split(/\r\n|\r|\n/, maxLines * 10)
    .filter((line) => line.trim() !== '')
    .slice(0, maxLines);
  const [best] = delimiters
    .map((delimiter) => ({
      delimiter,
      score: Math.max(0, ...lines.map((line) => scoreOf(line, delimiter))),
    }))
    .toSorted((one, other) => other.score - one.score);
  return { delimiter: best?.score ? best.delimiter : findMostFrequent(lines), isNamed: false };
}

const maxHeadings = 200;

function scoreOf(line: string, delimiter: string): number {
  const cells = splitLine(line, delimiter);
  const [only = ''] = cells;
  const unwrapped =
    cells.length === 1 && only.includes(delimiter) ? splitLine(only, delimiter) : cells;
  if (unwrapped.length < 2) return 0;
  return unwrapped
    .slice(0, maxHeadings)
    .filter((cell) => cell.length < 100 && (readHeading(cell) ?? readPeriodHeading(cell)) !== null)
    .length;
}

function findMostFrequent(lines: readonly string[]): string {
  const [first = ','] = delimiters.toSorted(
    (one, other) => countOf(lines, other) - countOf(lines, one),
  );
  return first;
}

const countOf = (lines: readonly string[], delimiter: string): number =>
  lines.filter((line) => splitLine(line, delimiter).length > 1).length;

export function splitLine(line: string, delimiter: string): string[] {
  const cells: string[] = [];
  let start = 0;
  while (start <= line.length) {
    const isQuoted = line[start] === '"';
    const end = isQuoted ? endOfQuote(line, start + 1) : start;
    const next = line.indexOf(delimiter, end);
    const cell = line.slice(start, next === -1 ? line.length : next);
    const whole = isQuoted && cell.endsWith('"') && cell.length > 1;
    cells.push(whole ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (next === -1) break;
    start = next + 1;
  }
  return cells;
}

/** Returns the position after the closing quote. Without a closing quote, returns the end of the line. */
function endOfQuote(line: string, from: number): number {
  let at = line.indexOf('"', from);
  while (at !== -1 && line[at + 1] === '"') at = line.indexOf('"', at + 2);
  return at === -1 ? line.length : at + 1;
}
