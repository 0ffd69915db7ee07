import type { TransformOptions } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip, gzip, type ZlibOptions } from 'node:zlib';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Bytes in compressed form. `length` counts the original bytes. */
export class CompressedBytes {
  readonly length: number;
  readonly #compressed: Buffer;

  private constructor(length: number, compressed: Buffer) {
    this.length = length;
    this.#compressed = compressed;
  }

  static async of(plain: Buffer): Promise<CompressedBytes> {
    return new CompressedBytes(plain.length, await compress(plain, { level: 1 }));
  }

  get keptLength(): number {
    return this.#compressed.length;
  }

  whole(): Promise<Buffer> {
    // With spare room, because zlib starts a second chunk when the first is exactly full.
    return decompress(this.#compressed, { chunkSize: this.length + 64 });
  }

  /** Decompresses on demand, so a slow reader holds one slice instead of all bytes. */
  slices(bytes: number): AsyncIterable<Buffer> {
    const options: ZlibOptions & Pick<TransformOptions, 'readableHighWaterMark'> = {
      chunkSize: bytes,
      readableHighWaterMark: 0,
    };
    return createGunzip(options).end(this.#compressed);
  }
}
