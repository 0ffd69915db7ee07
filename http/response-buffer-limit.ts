import type { ServerResponse } from 'node:http';

interface Buffered {
  bytes: number;
  /** Oldest first, each with its bytes. */
  readonly responses: Map<ServerResponse, number>;
}

/**
 * Bounds the memory of responses whose readers are slow. When the responses of one caller hold too much, the connection
 * of the oldest one is ended; the caller's other requests go on, and other callers notice nothing.
 */
export class ResponseBufferLimit {
  readonly #maxBytes: number;
  readonly #byCaller = new Map<string, Buffered>();

  /** @param maxBytes what all unread responses of one caller may hold together */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Counts bytes that are about to be written, until they are taken or the response ends. */
  add(caller: string, response: ServerResponse, bytes: number): void {
    const buffered = this.#byCaller.getOrInsertComputed(caller, () => ({
      bytes: 0,
      responses: new Map(),
    }));
    const earlier = buffered.responses.get(response);
    if (earlier === undefined)
      response.once('close', () => this.#remove(caller, buffered, response));
    buffered.bytes += bytes;
    buffered.responses.set(response, (earlier ?? 0) + bytes);
    for (const oldest of buffered.responses.keys()) {
      // A response that is written as a whole may be as long as it likes.
      const isWhole = oldest === response && earlier === undefined;
      if (buffered.bytes <= this.#maxBytes || isWhole) return;
      oldest.destroy();
      this.#remove(caller, buffered, oldest);
    }
  }

  /** Bytes of a response that is written in pieces were taken by the reader. */
  take(caller: string, response: ServerResponse, bytes: number): void {
    const buffered = this.#byCaller.get(caller);
    const earlier = buffered?.responses.get(response);
    if (buffered === undefined || earlier === undefined) return;
    buffered.bytes -= bytes;
    buffered.responses.set(response, earlier - bytes);
  }

  #remove(caller: string, buffered: Buffered, response: ServerResponse): void {
    buffered.bytes -= buffered.responses.get(response) ?? 0;
    buffered.responses.delete(response);
    if (buffered.responses.size === 0) this.#byCaller.delete(caller);
  }
}
