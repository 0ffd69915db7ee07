import type { ImportFields } from '#core';
import { CommandError } from '../../output.ts';
import { type CellReader, type CellValue, createCellReader } from './cells.ts';
import { createDateReader } from './dates.ts';
import { fieldsOf } from './fields.ts';
import type { Mapping, RecordMapping } from './mapping.ts';

/** Returns null if the mapping skips the row. */
export type ReadRecord = (cells: readonly string[]) => Omit<ImportFields, 'line'> | null;

interface PeriodColumn {
  readonly position: number;
  readonly period: string;
}

/**
 * Returns one reader per record of the mapping, or one per period column.
 *
 * @param firstRow the headings, or the cells of the first row if the file has no headings
 * @throws CommandError if a column is missing or isn't unique
 */
export function createRecordReaders(mapping: Mapping, firstRow: readonly string[]): ReadRecord[] {
  const columns = new Columns(mapping, firstRow);
  return mapping.records.flatMap((record) => {
    if (record.period_columns === undefined) return createRecordReader(mapping, record, columns);
    return columns
      .ofPeriods(record.period_columns)
      .map((period) => createRecordReader(mapping, record, columns, period));
  });
}

function createRecordReader(
  mapping: Mapping,
  { type, fields }: RecordMapping,
  columns: Columns,
  periodColumn?: PeriodColumn,
): ReadRecord {
  const cellReaders = new Map<string, CellReader>();
  const columnTexts = new Map<string, string>();
  for (const [name, field] of Object.entries(fields)) {
    const kind = fieldsOf[type][name]?.kind ?? 'text';
    const { column = null, minus_column: minus = null } = field;
    const from = [column, minus].flatMap((each) => (each === null ? [] : columns.positionOf(each)));
    const positions =
      periodColumn !== undefined && name === 'raw_value' ? [periodColumn.position] : from;
    cellReaders.set(name, createCellReader(mapping, field, kind, positions));
    columnTexts.set(name, columns.describe(positions));
  }
  if (periodColumn !== undefined) {
    const { position, period } = periodColumn;
    cellReaders.set('period', () => ({ value: period }));
    columnTexts.set('period', ` of ${columns.describe([position]).replace(/^ in /, '')}`);
    if (!cellReaders.has('raw_value')) {
      cellReaders.set('raw_value', createCellReader(mapping, {}, 'amount', [position]));
      columnTexts.set('raw_value', columns.describe([position]));
    }
  }
  const describe = (path: string): string => `${path}${columnTexts.get(path) ?? ''}`;
  return (cells) => {
    const record: Nested = type === 'metric' ? { type, source: {} } : { type };
    const unreadable = new Map<string, string>();
    for (const [name, read] of cellReaders) {
      const result = read(cells);
      if ('skip' in result) return null;
      if ('reason' in result) unreadable.set(name, result.reason);
      if ('value' in result) put(record, name, result.value);
    }
    return { fields: record, unreadable, describe };
  };
}

interface Nested {
  [name: string]: CellValue | { [name: string]: CellValue };
}

/** @param path the name of the field, or of a nested field such as `source.system` */
function put(record: Nested, path: string, value: CellValue): void {
  const [parent = '', child] = path.split('.');
  if (child === undefined) record[parent] = value;
  else record[parent] = { ...Object(record[parent]), [child]: value };
}

class Columns {
  readonly #mapping: Mapping;
  readonly #firstRow: readonly string[];

  constructor(mapping: Mapping, firstRow: readonly string[]) {
    this.#mapping = mapping;
    this.#firstRow = firstRow;
  }

  /** @throws CommandError if the column is missing or isn't unique */
  positionOf(column: string | number): number {
    if (typeof column === 'number') {
      if (column <= this.#firstRow.length) return column - 1;
      throw this.#refuse(`no column ${column}`);
    }
    const position = this.#mapping.header ? this.#firstRow.indexOf(column.trim()) : -1;
    if (position === -1) throw this.#refuse(`no column "${column}"`);
    const again = this.#firstRow.indexOf(column.trim(), position + 1);
    if (again === -1) return position;
    throw new CommandError(
      `the file has two columns "${column}": name one by its position, ${position + 1} or ${again + 1}`,
    );
  }

  ofPeriods(columns: NonNullable<RecordMapping['period_columns']>): PeriodColumn[] {
    if ('days' in columns) {
      return Object.entries(columns.days).map(([heading, period]) => ({
        position: this.positionOf(heading),
        period,
      }));
    }
    const read = createDateReader({ utc_offset: 'Z', ...this.#mapping.dates, ...columns });
    const found = this.#firstRow.flatMap((heading, position) => {
      const date = read(heading);
      if ('day' in date) return [{ position, period: date.day }];
      if (date.isAmbiguous) throw this.#refuse(`a column "${heading}", which ${date.reason}`);
      return [];
    });
    if (found.length > 0) return found;
    throw this.#refuse(
      `no column whose heading is a date of the form ${columns.formats.join(' or ')}`,
    );
  }

  /** For error messages, for example ` in column "Soll" and column "Haben"`. */
  describe(positions: readonly number[]): string {
    const names = positions.map((position) => {
      const heading = this.#mapping.header ? this.#firstRow[position] : undefined;
      return heading ? `column "${heading}"` : `column ${position + 1}`;
    });
    return names.length === 0 ? ', which the mapping sets' : ` in ${names.join(' and ')}`;
  }

  #refuse(what: string): CommandError {
    const all = this.#firstRow.map((heading) => `"${heading.slice(0, 60)}"`).slice(0, 50);
    const columns = this.#mapping.header
      ? `its columns are ${all.join(', ')}`
      : `it has ${all.length}`;
    const hint = all.length === 1 ? '; does the mapping have the right delimiter?' : '';
    return new CommandError(`the file has ${what}; ${columns}${hint}`);
  }
}
