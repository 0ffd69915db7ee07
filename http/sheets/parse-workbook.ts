import { SaxesParser } from 'saxes';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import { type Cell, maxColumns, otherRows, plainDecimal, type SheetRow } from './sheet.ts';
import { builtInFormat, type NumberFormat, readFormatCode } from './workbook-format.ts';

export interface WorkbookInput {
  readonly bytes: Uint8Array;
  /** Null means the first visible sheet. */
  readonly sheet: string | null;
  readonly maxRows: number;
}

/**
 * A message that the thread posts. All messages except the last one contain rows. The last message contains the names
 * of the sheets, or the reason for a refusal.
 */
export type WorkbookAnswer =
  | { readonly rows: readonly SheetRow[] }
  | { readonly name: string; readonly names: readonly string[] }
  | { readonly refused: WorkbookFlaw };

type WorkbookFlaw =
  | 'encrypted'
  | 'binary_workbook'
  | 'other_program'
  | 'not_a_table'
  | 'broken_workbook'
  | 'large_workbook'
  | 'too_many_rows'
  | 'no_sheet';

const mebibyte = 1_048_576;
/**
 * The limit of one file in the zip archive. Ten thousand rows of the template take 8 MiB. The directory of the archive
 * gives the size before a file is unpacked.
 */
const maxPartBytes = 64 * mebibyte;
const maxParts = 5_000;
const maxCells = 500_000;
/** The limit of filled cells and of the empty cells before them. Such empty cells also take memory. */
const maxCellPositions = 2_000_000;
/** The limit of XML elements in all files of the archive together. Empty elements take as much time as others. */
const maxElements = 2_000_000;
/** For all shared texts together, and for all cells together. Each cell gets its own copy of a shared text. */
const maxCharacters = 32 * mebibyte;
/** The limit that Excel has for the text of one cell. */
const maxCellLength = 32_767;

class Flawed extends Error {
  readonly flaw: WorkbookFlaw;

  constructor(flaw: WorkbookFlaw) {
    super(flaw);
    this.flaw = flaw;
  }
}

type Parts = ReadonlyMap<string, Entry>;
type Attributes = Readonly<Partial<Record<string, string>>>;

interface Handler {
  readonly open?: (name: string, attributes: Attributes) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

class Archive {
  readonly #zip: ZipFile;
  readonly #parts: Parts;
  #elements = 0;

  private constructor(zip: ZipFile, parts: Parts) {
    this.#zip = zip;
    this.#parts = parts;
  }

  static async open(bytes: Uint8Array): Promise<Archive> {
    const zip = await new Promise<ZipFile>((resolve, reject) =>
      yauzl.fromBuffer(
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
        { lazyEntries: true, validateEntrySizes: true },
        (error, opened) => (error ? reject(error) : resolve(opened)),
      ),
    );
    if (zip.entryCount > maxParts) throw new Flawed('large_workbook');
    const parts = new Map<string, Entry>();
    await new Promise<void>((resolve, reject) => {
      zip.on('entry', (entry: Entry) => {
        parts.set(entry.fileName.toLowerCase(), entry);
        zip.readEntry();
      });
      zip.on('error', reject);
      zip.on('end', resolve);
      zip.readEntry();
    });
    return new Archive(zip, parts);
  }

  has(name: string): boolean {
    return this.#parts.has(name.toLowerCase());
  }

  /** Streams a file of the archive through the parser, so the complete file is never in memory. */
  async read(name: string, handler: Handler): Promise<void> {
    const entry = this.#parts.get(name.toLowerCase());
    if (entry === undefined) throw new Flawed('broken_workbook');
    if (entry.isEncrypted()) throw new Flawed('encrypted');
    if (entry.uncompressedSize > maxPartBytes) throw new Flawed('large_workbook');
    const parser = new SaxesParser({ position: false });
    parser.on('error', (error) => {
      throw error;
    });
    parser.on('opentag', (tag) => {
      this.#elements += 1;
      if (this.#elements > maxElements) throw new Flawed('large_workbook');
      handler.open?.(localName(tag.name), tag.attributes as Attributes);
    });
    parser.on('closetag', (tag) => handler.close?.(localName(tag.name)));
    parser.on('text', (text) => handler.text?.(text));
    parser.on('cdata', (text) => handler.text?.(text));
    const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) =>
      this.#zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened))),
    );
    let decoder: TextDecoder | null = null;
    for await (const chunk of stream) {
      const bytes = chunk as Buffer;
      decoder ??= new TextDecoder(
        bytes[0] === 0xff ? 'utf-16le' : bytes[0] === 0xfe ? 'utf-16be' : 'utf-8',
      );
      parser.write(decoder.decode(bytes, { stream: true }));
    }
    parser.close();
  }
}

const isOn = (text: string | undefined): boolean => text === '1' || text === 'true';

async function readRelations(archive: Archive, of: string) {
  const folder = of.slice(0, of.lastIndexOf('/') + 1);
  const relations = new Map<string, { readonly type: string; readonly target: string }>();
  const name = `${folder}_rels/${of.slice(folder.length)}.rels`;
  if (!archive.has(name)) return relations;
  await archive.read(name, {
    open(tag, { Id: id = '', Type: type = '', Target: target = '' }) {
      if (tag !== 'Relationship') return;
      const path = target.startsWith('/') ? target.slice(1) : resolve(folder, target);
      relations.set(id, { type: type.slice(type.lastIndexOf('/') + 1), target: path });
    },
  });
  return relations;
}

function resolve(folder: string, target: string): string {
  const steps: string[] = [];
  for (const step of `${folder}${target}`.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '.') steps.push(step);
  }
  return steps.join('/');
}

interface Outline {
  readonly sheets: readonly { readonly name: string; readonly part: string }[];
  readonly is1904: boolean;
  readonly strings: string | undefined;
  readonly styles: string | undefined;
}

async function readOutline(archive: Archive): Promise<Outline> {
  const [workbook = 'xl/workbook.xml'] = [...(await readRelations(archive, '')).values()]
    .filter(({ type }) => type === 'officeDocument')
    .map(({ target }) => target);
  if (!archive.has(workbook)) throw new Flawed(flawOfOther(archive));
  if (workbook.endsWith('.bin')) throw new Flawed('binary_workbook');
  const relations = await readRelations(archive, workbook);
  const named: { name: string; id: string; isHidden: boolean }[] = [];
  let is1904 = false;
  await archive.read(workbook, {
    open(tag, attributes) {
      if (tag === 'workbookPr') is1904 = isOn(attributes.date1904);
      if (tag !== 'sheet') return;
      const { name = '', state } = attributes;
      const id = Object.entries(attributes).find(([key]) => /:id$/.test(key))?.[1] ?? '';
      named.push({ name, id, isHidden: state === 'hidden' || state === 'veryHidden' });
    },
  });
  const isSheet = ({ id }: { readonly id: string }) => relations.get(id)?.type === 'worksheet';
  const visible = named.filter((each) => !each.isHidden && isSheet(each));
  const partOf = (type: string) =>
    [...relations.values()].find((each) => each.type === type)?.target;
  return {
    sheets: visible.map(({ name, id }) => ({ name, part: relations.get(id)?.target ?? '' })),
    is1904,
    strings: partOf('sharedStrings'),
    styles: partOf('styles'),
  };
}

function flawOfOther(archive: Archive): WorkbookFlaw {
  if (archive.has('xl/workbook.bin')) return 'binary_workbook';
  const isOther = archive.has('mimetype') || archive.has('Index/Document.iwa');
  return isOther ? 'other_program' : 'not_a_table';
}

async function readStrings(archive: Archive, part: string | undefined): Promise<string[]> {
  const strings: string[] = [];
  if (part === undefined || !archive.has(part)) return strings;
  let length = 0;
  let current: string | null = null;
  let isText = false;
  let isHint = false;
  await archive.read(part, {
    open(tag) {
      if (tag === 'si') current = '';
      // Skips the element `rPh`, which contains the pronunciation of a text.
      if (tag === 'rPh') isHint = true;
      isText = tag === 't' && !isHint;
    },
    text(text) {
      if (!isText || current === null) return;
      length += text.length;
      current += text;
      if (length > maxCharacters || current.length > maxCellLength)
        throw new Flawed('large_workbook');
    },
    close(tag) {
      if (tag === 't') isText = false;
      if (tag === 'rPh') isHint = false;
      // Trims the text only once, because many cells can share the text.
      if (tag === 'si') strings.push((current ?? '').trim());
    },
  });
  return strings;
}

async function readFormats(archive: Archive, part: string | undefined): Promise<NumberFormat[]> {
  const codes = new Map<number, NumberFormat>();
  const formats: NumberFormat[] = [];
  if (part === undefined || !archive.has(part)) return formats;
  let isOfCells = false;
  await archive.read(part, {
    open(tag, { numFmtId, formatCode = '' }) {
      const id = Number(numFmtId ?? 0);
      if (tag === 'numFmt') codes.set(id, readFormatCode(formatCode));
      if (tag === 'cellXfs') isOfCells = true;
      if (tag === 'xf' && isOfCells) formats.push(codes.get(id) ?? builtInFormat(id));
    },
    close(tag) {
      if (tag === 'cellXfs') isOfCells = false;
    },
  });
  return formats;
}

interface Meaning {
  readonly strings: readonly string[];
  readonly formats: readonly NumberFormat[];
  readonly is1904: boolean;
}

interface OpenCell {
  readonly at: number;
  readonly type: string;
  readonly style: number;
  hasFormula: boolean;
  value: string;
}

async function readRows(
  archive: Archive,
  part: string,
  meaning: Meaning,
  maxRows: number,
  post: Post,
): Promise<void> {
  let rows: SheetRow[] = [];
  let rowCount = 0;
  let line = 0;
  let cells: Cell[] = [];
  let cell: OpenCell | null = null;
  let isValue = false;
  let isHint = false;
  let count = 0;
  let cellPositions = 0;
  let characters = 0;
  let next = 0;
  await archive.read(part, {
    open(tag, attributes) {
      if (tag === 'row') {
        line = Number(attributes.r ?? line + 1);
        cells = [];
        next = 0;
      } else if (tag === 'c') {
        const at = columnOf(attributes.r) ?? next;
        next = at + 1;
        const style = Number(attributes.s ?? 0);
        cell = { at, type: attributes.t ?? 'n', style, hasFormula: false, value: '' };
      } else if (tag === 'f' && cell !== null) cell.hasFormula = true;
      else if (tag === 'rPh') isHint = true;
      isValue = tag === 'v' || (tag === 't' && !isHint);
    },
    text(text) {
      if (!isValue || cell === null) return;
      if (cell.value.length + text.length > maxCellLength) throw new Flawed('large_workbook');
      cell.value += text;
    },
    close(tag) {
      if (tag === 'v' || tag === 't') isValue = false;
      if (tag === 'rPh') isHint = false;
      if (tag === 'c' && cell !== null) {
        const value = toCell(cell, meaning);
        if (value !== null) {
          count += 1;
          cellPositions += Math.max(0, cell.at + 1 - cells.length);
          characters += typeof value === 'string' ? value.length : 0;
          const isTooMuch =
            count > maxCells || cellPositions > maxCellPositions || characters > maxCharacters;
          if (isTooMuch || cell.at >= maxColumns) throw new Flawed('large_workbook');
          while (cells.length < cell.at) cells.push('');
          cells[cell.at] = value;
        }
        cell = null;
      }
      if (tag === 'row' && cells.length > 0) {
        rows.push({ line, cells });
        rowCount += 1;
        if (rowCount > maxRows + otherRows) throw new Flawed('too_many_rows');
        if (rows.length >= rowsPerMessage) {
          post({ rows });
          rows = [];
        }
      }
    },
  });
  post({ rows });
}

/** The number of rows per message. The main thread unpacks such a message in a few milliseconds. */
const rowsPerMessage = 200;

/** Returns the index of a cell's column, for example 1 for `B2`. */
function columnOf(reference: string | undefined): number | undefined {
  const [letters] = /^[A-Z]{1,3}(?=\d)/.exec(reference ?? '') ?? [];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** Returns null for an empty cell. */
function toCell({ type, style, value, hasFormula }: OpenCell, meaning: Meaning): Cell | null {
  switch (type) {
    case 's':
      return meaning.strings[Number(value)] || null;
    case 'b':
      return { kind: 'flag', value: isOn(value.trim()) };
    case 'e':
      return { kind: 'error', text: value.trim() };
    case 'n':
      return toNumberCell(value.trim(), meaning.formats[style], meaning.is1904, hasFormula);
    default:
      return value.trim() || null;
  }
}

/** A formula without a stored result. Programs that can't calculate write such formulas. */
const notCalculated: Cell = { kind: 'error', text: '' };

function toNumberCell(
  value: string,
  format: NumberFormat | undefined,
  is1904: boolean,
  hasFormula: boolean,
): Cell | null {
  if (value === '') return hasFormula ? notCalculated : null;
  const text = toDecimal(value);
  if (text === null) return value;
  const { kind = 'number', currency = null, scale } = format ?? {};
  // Returns text with the abbreviation, as a person sees it, so that a later step reports the abbreviation.
  if (scale !== undefined) return `${text} ${scale}`;
  if (kind === 'day' || kind === 'month') {
    const date = toDate(Number(text), is1904);
    if (date !== null) return { kind: 'date', ...date, isMonth: kind === 'month' };
  }
  return { kind: 'number', text, isPercent: kind === 'percent', currency };
}

const significantDigits = 15;

/** Rounds to 15 digits, because spreadsheets calculate with 15 digits. Further digits are rounding errors. */
function toDecimal(value: string): string | null {
  const number = Number(value);
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(value) || !Number.isFinite(number))
    return null;
  const digits = value.replace(/e.*$/i, '').replaceAll(/[^\d]/g, '').replace(/^0+/, '');
  if (!/e/i.test(value) && digits.length <= significantDigits) return plainDecimal(value);
  const [mantissa = '', exponent = '0'] = number.toExponential(significantDigits - 1).split('e');
  const [, sign = '', first = '', rest = ''] = /^(-?)(\d)\.?(\d*)$/.exec(mantissa) ?? [];
  const point = 1 + Number(exponent);
  if (Math.abs(point) > 60) return null;
  const all = first + rest;
  const padded = point <= 0 ? '0'.repeat(1 - point) + all : all.padEnd(point, '0');
  const whole = point <= 0 ? 1 : point;
  return plainDecimal(`${sign}${padded.slice(0, whole)}.${padded.slice(whole)}`);
}

const dayMilliseconds = 86_400_000;
/** Excel's number for 1 March 1900. Excel counts a day before it that didn't exist, so earlier dates are ambiguous. */
const firstSerial = 61;
const lastSerial = 2_958_465;

function toDate(serial: number, is1904: boolean) {
  const from1900 = is1904 ? serial + 1_462 : serial;
  if (from1900 < firstSerial || from1900 > lastSerial) return null;
  const seconds = Math.round(from1900 * 86_400);
  const at = new Date(Date.UTC(1899, 11, 30) + Math.floor(seconds / 86_400) * dayMilliseconds);
  const rest = seconds % 86_400;
  const time = new Date(rest * 1_000).toISOString().slice(11, 19);
  return { day: at.toISOString().slice(0, 10), time: rest === 0 ? null : time };
}

type Post = (part: { readonly rows: readonly SheetRow[] }) => void;

/**
 * Reads one sheet. Returns the last message of the thread.
 *
 * @param post receives the rows in several parts
 */
export async function parseWorkbook(input: WorkbookInput, post: Post): Promise<WorkbookAnswer> {
  try {
    return await readSheet(input, post);
  } catch (error) {
    return { refused: error instanceof Flawed ? error.flaw : 'broken_workbook' };
  }
}

async function readSheet(
  { bytes, sheet, maxRows }: WorkbookInput,
  post: Post,
): Promise<WorkbookAnswer> {
  const archive = await Archive.open(bytes);
  const outline = await readOutline(archive);
  const { sheets } = outline;
  const chosen = sheet === null ? sheets[0] : sheets.find(({ name }) => name === sheet);
  if (chosen === undefined) throw new Flawed('no_sheet');
  const strings = await readStrings(archive, outline.strings);
  const formats = await readFormats(archive, outline.styles);
  const meaning = { strings, formats, is1904: outline.is1904 };
  await readRows(archive, chosen.part, meaning, maxRows, post);
  return { name: chosen.name, names: sheets.map(({ name }) => name) };
}
