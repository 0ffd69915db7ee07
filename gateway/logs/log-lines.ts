import type { DestinationStream } from 'pino';

/** A pipe writes this much at once, so that lines of several workers don't mix. */
const pieceBytes = 4_096;

/** A stream with both of pino's ways to flush. */
export interface LogLines extends DestinationStream {
  flush(done?: () => void): void;
  flushSync(): void;
}

/**
 * Writes the lines of one turn of the event loop together, because a system call costs more than a line. A killed
 * process
 * loses the lines of its last turn. A process that exits or fails loses none.
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
