import { peek } from '../import/input.ts';
import { LineReader } from '../import/line-reader.ts';
import { isMetricCsv, readCsv } from './csv.ts';
import type { InputDocument } from './json-document.ts';

/** A line can be long, because a list of signed values can be in one line. */
const maxBytes = 268_435_456;

/**
 * The input is one JSON document, newline-delimited JSON, or a CSV history or export. For newline-delimited JSON, only
 * one line at a time is in memory.
 *
 * @throws Error if the input is empty or has another format
 */
export async function* readDocuments(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<InputDocument> {
  const { head, all } = await peek(chunks);
  const [firstLine = ''] = head.toString().split('\n', 1);
  yield* isMetricCsv(firstLine) ? readCsv(all) : readJson(all);
}

async function* readJson(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<InputDocument> {
  const lines = readLines(chunks);
  const first = await lines.next();
  if (first.done) throw new Error('the input is empty');
  const document = parse(first.value);
  if (document.problem !== undefined) {
    yield { line: null, value: await parseWhole(first.value, lines) };
    return;
  }
  const second = await lines.next();
  yield second.done ? { ...document, line: null } : document;
  if (second.done) return;
  yield parse(second.value);
  for await (const line of lines) yield parse(line);
}

interface Line {
  readonly line: number;
  readonly text: string;
  readonly problem?: string;
}

async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let line = 0;
  for await (const read of new LineReader(chunks, maxBytes)) {
    line += 1;
    if (typeof read !== 'string') yield { line, text: '', problem: read.reason };
    else if (read.trim() !== '') yield { line, text: read };
  }
}

function parse({ line, text, problem }: Line): InputDocument {
  if (problem !== undefined) return { line, value: null, problem };
  try {
    return { line, value: JSON.parse(text) };
  } catch {
    return { line, value: null, problem: 'is not JSON' };
  }
}

async function parseWhole(first: Line, others: AsyncIterable<Line>): Promise<unknown> {
  const texts: string[] = [];
  let length = 0;
  const add = ({ line, text, problem }: Line) => {
    if (problem !== undefined) throw new Error(`line ${line} of the input ${problem}`);
    length += text.length;
    if (length > maxBytes) throw new Error('the input is too long for one JSON document');
    texts.push(text);
  };
  add(first);
  for await (const line of others) add(line);
  try {
    return JSON.parse(texts.join('\n'));
  } catch {
    throw new Error('the input is neither JSON nor newline-delimited JSON');
  }
}
