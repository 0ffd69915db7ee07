/** A piece shorter than this size is joined with others, so that many tiny pieces don't become many chunks. */
const joinedBytes = 16 * 1024;

/** A queue of bytes. Long pieces are never copied. */
export class ByteQueue {
  #chunks: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    const last = this.#chunks.at(-1);
    if (last !== undefined && last.length < joinedBytes)
      this.#chunks[this.#chunks.length - 1] = Buffer.concat([last, bytes]);
    else this.#chunks.push(bytes);
    this.#length += bytes.length;
  }

  /** Returns up to `most` bytes from an offset. Returns an empty piece after the end of the queue. */
  slice(offset: number, most: number): Buffer {
    let at = offset;
    for (const chunk of this.#chunks) {
      if (at < chunk.length) return chunk.subarray(at, at + most);
      at -= chunk.length;
    }
    return Buffer.alloc(0);
  }

  drop(count: number): void {
    let remaining = count;
    let [first] = this.#chunks;
    while (first !== undefined && remaining >= first.length) {
      remaining -= first.length;
      this.#chunks.shift();
      [first] = this.#chunks;
    }
    if (first !== undefined) this.#chunks[0] = first.subarray(remaining);
    this.#length -= count;
  }
}
