import type { TransformOptions } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip, gzip, type ZlibOptions } from 'node:zlib';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Bytes that are kept compressed and decompressed for each reader. */
export class CompressedBytes {
  /** The decompressed length. */
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
    // One piece with spare room: zlib would start a second piece when the first is full.
    return decompress(this.#compressed, { chunkSize: this.length + 64 });
  }

  /** Each slice is made on demand, so that a slow reader holds one slice and not the whole. */
  slices(bytes: number): AsyncIterable<Buffer> {
    const options: ZlibOptions & Pick<TransformOptions, 'readableHighWaterMark'> = {
      chunkSize: bytes,
      readableHighWaterMark: 0,
    };
    return createGunzip(options).end(this.#compressed);
  }
}
