import type { ImportProblem } from '#core';

const mebibyte = 1_048_576;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = '\ufeff';

/** Omits line ends. Keeps at most one line and one chunk in memory. */
export class LineReader implements AsyncIterable<string | ImportProblem> {
  readonly #chunks: AsyncIterable<Uint8Array>;
  readonly #maxLineBytes: number;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #line = 0;
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(chunks: AsyncIterable<Uint8Array>, maxLineBytes = mebibyte) {
    this.#chunks = chunks;
    this.#maxLineBytes = maxLineBytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string | ImportProblem> {
    for await (const chunk of this.#chunks) {
      let start = 0;
      for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
        this.#keep(chunk.subarray(start, end));
        yield this.#finish();
        start = end + 1;
      }
      this.#keep(chunk.subarray(start));
    }
    if (this.#length > 0) yield this.#finish();
  }

  /** Drops the text of a line that is too long. */
  #keep(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length > this.#maxLineBytes) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #finish(): string | ImportProblem {
    this.#line += 1;
    const parts = this.#parts;
    const isTooLong = this.#length > this.#maxLineBytes;
    this.#parts = [];
    this.#length = 0;
    if (isTooLong) return this.#refuse(`is longer than ${this.#maxLineBytes / mebibyte} MiB`);
    try {
      return this.#decode(parts);
    } catch {
      return this.#refuse('is not valid UTF-8');
    }
  }

  #decode(parts: readonly Uint8Array[]): string {
    const [first] = parts;
    const bytes = parts.length === 1 && first ? first : Buffer.concat(parts);
    const end = bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length;
    const text = this.#decoder.decode(bytes.subarray(0, end));
    return this.#line === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text;
  }

  #refuse(reason: string): ImportProblem {
    return { line: this.#line, reason };
  }
}
