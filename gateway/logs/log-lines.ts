import type { DestinationStream } from 'pino';

/** A pipe writes up to this size at once, so that lines of several workers don't mix. */
const pieceBytes = 4_096;

/** Pino calls either way to flush. */
interface LogLines extends DestinationStream {
  flush(done?: () => void): void;
  flushSync(): void;
}

/**
 * Writes the lines of one turn of the event loop together, because a system call costs more than a line. Only a killed
 * process loses the lines of its last turn.
 */
export function writeTogether(destination: DestinationStream): LogLines {
  let piece = '';
  let bytes = 0;

  function flush(): void {
    if (piece === '') return;
    const lines = piece;
    piece = '';
    bytes = 0;
    destination.write(lines);
  }

  process.on('exit', flush);
  return {
    write(line) {
      const length = Buffer.byteLength(line);
      if (bytes + length > pieceBytes) flush();
      if (piece === '') setImmediate(flush);
      piece += line;
      bytes += length;
    },
    flush(done) {
      flush();
      done?.();
    },
    flushSync: flush,
  };
}
