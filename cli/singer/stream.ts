import { createRecordReaders } from '../import/csv/columns.ts';
import type { Mapping } from '../import/csv/mapping.ts';
import { CommandError } from '../output.ts';
import { extractedAt } from './mapping.ts';
import { type Exact, type ExactObject, isObject, propertyOf } from './messages.ts';

/** A property by its way through a record: `balance.amount` is that of `balance`. */
type Path = readonly string[];

const deepest = 8;

/** Makes the records of one stream into those that are pushed. */
export class Stream {
  readonly #name: string;
  readonly #decimalMark: string;
  readonly #paths: readonly Path[];
  /** The positions of the properties that the mapping uses. */
  readonly #used: readonly number[];
  readonly #readers: ReturnType<typeof createRecordReaders>;

  /** @throws CommandError when the mapping names a property that the stream has not */
  constructor(name: string, mapping: Mapping, schema: ExactObject) {
    this.#name = name;
    this.#decimalMark = mapping.numbers?.decimal_mark ?? '.';
    const named = columnsOf(mapping);
    const properties = [...pathsIn(schema)];
    // A schema that names nothing forbids nothing.
    const paths =
      properties.length > 0 ? properties : [...named].map((column) => column.split('.'));
    this.#paths = [...paths.filter(([first]) => first !== extractedAt), [extractedAt]];
    const headings = this.#paths.map((path) => path.join('.'));
    this.#used = headings.flatMap((heading, position) => (named.has(heading) ? position : []));
    this.#readers = createRecordReaders(mapping, headings, `the stream "${name}"`);
  }

  /** @throws CommandError that says what is wrong with the record */
  read(record: ExactObject, { extracted, place }: { extracted: string; place: string }): object[] {
    const cells: string[] = [];
    for (const position of this.#used) {
      const path = this.#paths[position] ?? [];
      const value = path[0] === extractedAt ? extracted : valueAt(record, path);
      if (typeof value === 'object' && value !== null && !('rawJSON' in value)) {
        throw this.#refuse(place, `"${path.join('.')}" holds no single value`);
      }
      cells[position] = this.#textOf(value as Single);
    }
    const records: object[] = [];
    for (const read of this.#readers) {
      const fields = read(cells);
      if (fields === null) continue;
      const reasons = [...fields.unreadable].map(
        ([path, reason]) => `${fields.describe(path)}: ${reason}`,
      );
      if (reasons.length > 0) throw this.#refuse(place, reasons.join('; '));
      records.push(Object(fields.fields));
    }
    return records;
  }

  #textOf(value: Single): string {
    if (value === null || value === undefined) return '';
    if (typeof value !== 'object') return `${value}`;
    return withoutExponent(value.rawJSON).replace('.', this.#decimalMark);
  }

  #refuse(place: string, reason: string): CommandError {
    return new CommandError(`stream "${this.#name}", ${place}: ${reason}`);
  }
}

type Single = string | boolean | null | undefined | { readonly rawJSON: string };

function columnsOf({ records }: Mapping): ReadonlySet<string> {
  const columns = records.flatMap(({ fields }) =>
    Object.values(fields).flatMap(({ column, minus_column }) => [column, minus_column]),
  );
  return new Set(columns.filter((column) => typeof column === 'string'));
}

/** Every property that a schema names, also those of objects in it. */
function* pathsIn(schema: Exact | undefined, above: Path = []): Generator<Path> {
  const properties = propertyOf(schema, 'properties');
  if (!isObject(properties) || above.length === deepest) return;
  for (const [name, property] of Object.entries(properties)) {
    yield [...above, name];
    yield* pathsIn(property, [...above, name]);
  }
}

function valueAt(record: ExactObject, path: Path): Exact | undefined {
  let value: Exact | undefined = record;
  for (const name of path) value = propertyOf(value, name);
  return value;
}

/** No amount is longer. */
const mostPlaces = 60;

/** `1.25E+3` → `1250`: a program that writes decimals may write them so. */
function withoutExponent(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/.exec(text) ?? [];
  const shift = Number(exponent);
  if (exponent === undefined || Math.abs(shift) > mostPlaces) return text;
  const digits = `${'0'.repeat(mostPlaces)}${whole}${fraction}${'0'.repeat(mostPlaces)}`;
  const point = mostPlaces + whole.length + shift;
  const plain = `${digits.slice(0, point)}.${digits.slice(point)}`;
  return `${sign}${plain.replace(/^0+(?=\d)/, '').replace(/\.?0+$/, '')}`;
}
