import { clearLine, cursorTo } from 'node:readline';
import type { Writable } from 'node:stream';

const width = 30;
const millisecondsBetweenDraws = 100;
const megabyte = 1_000_000;

interface Terminal extends Writable {
  readonly isTTY?: boolean;
}

/** A progress bar on a terminal; elsewhere nothing, so that a log holds only what matters. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #totalBytes: number | null;
  #bytes = 0;
  #drawnAt = 0;

  constructor(stderr: Terminal, totalBytes: number | null) {
    this.#terminal = stderr;
    this.#totalBytes = totalBytes;
  }

  /** Passes the chunks on, and counts them. */
  async *count(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#bytes += chunk.length;
      const now = performance.now();
      if (now - this.#drawnAt >= millisecondsBetweenDraws) {
        this.#drawnAt = now;
        this.#draw(renderProgress(this.#bytes, this.#totalBytes));
      }
      yield chunk;
    }
    this.#draw('Checking and applying …');
  }

  /** Makes room for another line. The bar comes back with the next chunk. */
  clear(): void {
    this.#draw('');
  }

  #draw(text: string): void {
    if (this.#terminal.isTTY !== true) return;
    cursorTo(this.#terminal, 0);
    clearLine(this.#terminal, 0);
    this.#terminal.write(text);
  }
}

/** `[██████░░░░]  60 %  1.2 of 2.0 MB`, or only the megabytes when their total is not known. */
export function renderProgress(bytes: number, totalBytes: number | null): string {
  const megabytes = (count: number) => (count / megabyte).toFixed(1);
  if (totalBytes === null || totalBytes === 0) return `${megabytes(bytes)} MB read`;
  const share = Math.min(1, bytes / totalBytes);
  const full = Math.floor(share * width);
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  const bar = '█'.repeat(full) + '░'.repeat(width - full);
  return `[${bar}] ${percent} %  ${megabytes(bytes)} of ${megabytes(totalBytes)} MB`;
}
