import type { TransformOptions } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip, gzip, type ZlibOptions } from 'node:zlib';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Bytes that are kept compressed, and decompressed anew for each who reads them. */
export class CompressedBytes {
  /** Of what is read. */
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
    // In one piece, with room left: zlib begins another one when the first is full.
    return decompress(this.#compressed, { chunkSize: this.length + 64 });
  }

  /** Each is made when it is asked for, so that a slow reader holds one slice and not the whole. */
  slices(bytes: number): AsyncIterable<Buffer> {
    const options: ZlibOptions & Pick<TransformOptions, 'readableHighWaterMark'> = {
      chunkSize: bytes,
      readableHighWaterMark: 0,
    };
    return createGunzip(options).end(this.#compressed);
  }
}
