import { clearLine, cursorTo } from 'node:readline';
import type { Writable } from 'node:stream';

const width = 30;
const millisecondsBetweenDraws = 100;
const megabyte = 1_000_000;

interface Terminal extends Writable {
  readonly isTTY?: boolean;
}

/** Shows the bar only if the output is a terminal. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #totalBytes: number | null;
  readonly #startedAt = performance.now();
  #bytes = 0;
  #drawnAt = 0;

  constructor(stderr: Terminal, totalBytes: number | null) {
    this.#terminal = stderr;
    this.#totalBytes = totalBytes;
  }

  async *count(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#bytes += chunk.length;
      const now = performance.now();
      if (now - this.#drawnAt >= millisecondsBetweenDraws) {
        this.#drawnAt = now;
        this.#draw(renderProgress(this.#bytes, this.#totalBytes, now - this.#startedAt));
      }
      yield chunk;
    }
    this.#draw('Checking and applying …');
  }

  /** Clears the bar, so that another line can be printed. The bar appears again with the next chunk. */
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

/**
 * Returns `[██████░░░░]  60 %  1.2 of 2.0 MB  0.4 MB/s  2 s left`. Without a total size, returns only the megabytes and
 * the rate.
 */
export function renderProgress(
  bytes: number,
  totalBytes: number | null,
  milliseconds: number,
): string {
  const formatMegabytes = (count: number) => (count / megabyte).toFixed(1);
  const seconds = milliseconds / 1000;
  const rate = seconds > 0 ? `  ${formatMegabytes(bytes / seconds)} MB/s` : '';
  if (totalBytes === null || totalBytes === 0) return `${formatMegabytes(bytes)} MB read${rate}`;
  const share = Math.min(1, bytes / totalBytes);
  const full = Math.floor(share * width);
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  const bar = '█'.repeat(full) + '░'.repeat(width - full);
  const left =
    share > 0 && seconds > 0 ? `  ${renderTime((seconds / share) * (1 - share))} left` : '';
  return `[${bar}] ${percent} %  ${formatMegabytes(bytes)} of ${formatMegabytes(totalBytes)} MB${rate}${left}`;
}

function renderTime(seconds: number): string {
  const whole = Math.ceil(seconds);
  const twoDigits = (number: number) => `${Math.floor(number)}`.padStart(2, '0');
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${twoDigits(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${twoDigits((whole % 3600) / 60)} min`;
}
