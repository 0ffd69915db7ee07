import type { ServerResponse } from 'node:http';

interface Untaken {
  bytes: number;
  /** Oldest first, each with its bytes. */
  readonly answers: Map<ServerResponse, number>;
}

/**
 * Bounds the memory of answers whose readers are slow. When those of one caller hold too much, the connection that has
 * waited longest is ended: nobody else waits for it, and the caller's other requests go on.
 */
export class UntakenAnswers {
  readonly #maxBytes: number;
  readonly #ofCallers = new Map<string, Untaken>();

  /** @param maxBytes what the answers of one caller that wait to be taken may hold together */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(caller: string, response: ServerResponse, bytes: number): void {
    const untaken = this.#ofCallers.getOrInsertComputed(caller, () => ({
      bytes: 0,
      answers: new Map(),
    }));
    const earlier = untaken.answers.get(response);
    if (earlier === undefined)
      response.once('close', () => this.#remove(caller, untaken, response));
    untaken.bytes += bytes;
    untaken.answers.set(response, (earlier ?? 0) + bytes);
    for (const oldest of untaken.answers.keys()) {
      // An answer that is handed over whole may be as long as it likes.
      if (untaken.bytes <= this.#maxBytes || (oldest === response && earlier === undefined)) return;
      oldest.destroy();
      this.#remove(caller, untaken, oldest);
    }
  }

  /** So many bytes of an answer that comes piece by piece have been taken. */
  take(caller: string, response: ServerResponse, bytes: number): void {
    const untaken = this.#ofCallers.get(caller);
    const ofAnswer = untaken?.answers.get(response);
    if (untaken === undefined || ofAnswer === undefined) return;
    untaken.bytes -= bytes;
    untaken.answers.set(response, ofAnswer - bytes);
  }

  #remove(caller: string, untaken: Untaken, response: ServerResponse): void {
    untaken.bytes -= untaken.answers.get(response) ?? 0;
    untaken.answers.delete(response);
    if (untaken.answers.size === 0) this.#ofCallers.delete(caller);
  }
}
