import type { TransformOptions } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip, gzip, type ZlibOptions } from 'node:zlib';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

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

  get storedLength(): number {
    return this.#compressed.length;
  }

  whole(): Promise<Buffer> {
    // The chunk is a little larger than the bytes. If zlib filled a chunk exactly, zlib would start a second chunk.
    return decompress(this.#compressed, { chunkSize: this.length + 64 });
  }

  /** Decompresses one slice at a time, so a slow client keeps only one slice in memory. */
  slices(bytes: number): AsyncIterable<Buffer> {
    const options: ZlibOptions & Pick<TransformOptions, 'readableHighWaterMark'> = {
      chunkSize: bytes,
      readableHighWaterMark: 0,
    };
    return createGunzip(options).end(this.#compressed);
  }
}
