import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RowReader } from '../../http/csv/rows.ts';
import { isFull, propertyRuns } from '../support/property-runs.ts';

interface Options {
  readonly delimiter?: string;
  readonly quote?: string | null;
  readonly skipLines?: number;
}

/** Rows as `[line, …cells]`, problems as `line: reason`; without the rows that hold nothing. */
function read(
  pieces: Iterable<string>,
  { delimiter = ',', quote = '"', skipLines = 0 }: Options = {},
) {
  const reader = new RowReader({ delimiter, quote, skipLines });
  return [...pieces]
    .flatMap((piece) => [...reader.read(piece)])
    .concat([...reader.end()])
    .filter((row) => 'reason' in row || row.cells.join('') !== '')
    .map((row) => ('reason' in row ? `${row.line}: ${row.reason}` : [row.line, ...row.cells]));
}

const mebibyte = 1_048_576;

describe('rows', () => {
  test('are told with the line that they begin in, also when cells hold line breaks', () => {
    const text = 'a,b\r\n"1\r\n\r\n2",x\r\n\r\nc,"d"\r\n';
    expect(read([text])).toEqual([
      [1, 'a', 'b'],
      [2, '1\r\n\r\n2', 'x'],
      [6, 'c', 'd'],
    ]);
  });

  test('after a broken quote are read from the next line on', () => {
    const text = 'a,b\n1,5" pipe\n2,x\n3,"open\n4,y\n"5"z,6\n7,8';
    expect(read([text])).toEqual([
      [1, 'a', 'b'],
      '2: has a broken quote',
      [3, '2', 'x'],
      '4: opens a quote that is not closed',
      [5, '4', 'y'],
      '6: has a broken quote',
      [7, '7', '8'],
    ]);
  });

  test.runIf(isFull)('after a quote that is never closed are read from the next line on', () => {
    expect(read(['a,b\n1,"open\n2,x\n3,y\n'])).toEqual([
      [1, 'a', 'b'],
      '2: opens a quote that is not closed',
      [3, '2', 'x'],
      [4, '3', 'y'],
    ]);
    const long = `${'x\n'.repeat(mebibyte)}`;
    const [first, second, ...rest] = read([`"${long}`]);
    expect([first, second]).toEqual([
      '1: is longer than 1 MiB, or a quote is not closed',
      [2, 'x'],
    ]);
    expect(rest).toHaveLength(mebibyte - 2);
  });

  test('of more than 1 MiB are told, and those after them are read', () => {
    const long = 'x'.repeat(mebibyte);
    expect(read([`${long}\n1,2\n`])).toEqual([
      [1, long],
      [2, '1', '2'],
    ]);
    expect(read([`x${long}\n1,2\n`])).toEqual(['1: is longer than 1 MiB', [2, '1', '2']]);
    expect(read([long, long, 'x', '\n1,2\n'])).toEqual([
      '1: is longer than 1 MiB, or a quote is not closed',
      [2, '1', '2'],
    ]);
  });

  test.skipIf(!isFull)('are given up when nearly all quotes are broken', () => {
    const rows = '"a"b\nc"\n'.repeat(10_001);
    expect(() => read([rows])).toThrow(/^more than 10000 rows have broken quotes/);
  });

  test('may hold quotes as any other character', () => {
    expect(read(['a,5"\n"b,"c"\n'], { quote: null })).toEqual([
      [1, 'a', '5"'],
      [2, '"b', '"c"'],
    ]);
  });

  test('begin after the lines to skip, whatever these hold', () => {
    expect(read(['"\n"', '"\n\na,b', '\n'], { skipLines: 3 })).toEqual([[4, 'a', 'b']]);
    expect(read(['a\nb'], { skipLines: 3 })).toEqual([]);
  });
});

test('what was written as CSV is read back, however it is cut', () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', '"', ';', ',', '\n', '\r\n', ' ', 'é', '€', '😀'),
  });
  const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 8 });
  const lineBreaks = fc.constantFrom('\n', '\r\n');
  const property = fc.property(
    rows,
    lineBreaks,
    fc.integer({ min: 1, max: 7 }),
    (table, lineBreak, size) => {
      // The first line break tells that of the whole file.
      const text = [['first', 'row'], ...table]
        .map((row) => row.map((each) => `"${each.replaceAll('"', '""')}"`).join(';') + lineBreak)
        .join('');
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const whole = read(pieces, { delimiter: ';' });
      const filled = table.filter((row) => row.join('') !== '');
      expect(whole.slice(1).map((row) => row.slice(1))).toEqual(filled);
      let line = 2;
      const lines = table.map((row) => {
        const begin = line;
        line += 1 + row.join('').split('\n').length - 1;
        return { begin, isFilled: row.join('') !== '' };
      });
      expect(whole.slice(1).map(([begin]) => begin)).toEqual(
        lines.filter(({ isFilled }) => isFilled).map(({ begin }) => begin),
      );
    },
  );
  fc.assert(property, { numRuns: propertyRuns(2000) });
});
