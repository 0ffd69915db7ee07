import type { Writable } from 'node:stream';

/** Resolves when the text is out, or when nobody reads any more, as after `| head`. */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stream.destroyed) return resolve();
    stream.write(text, (error) => (error && !isBrokenPipe(error) ? reject(error) : resolve()));
  });
}

/** A reader that leaves is no failure of the command. */
export function tolerateBrokenPipe(stream: Writable): void {
  stream.on('error', (error) => {
    if (!isBrokenPipe(error)) throw error;
  });
}

function isBrokenPipe(error: Error & { code?: string }): boolean {
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED';
}
