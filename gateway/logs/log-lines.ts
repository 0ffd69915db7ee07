import type { DestinationStream } from 'pino';

/** A pipe writes up to this size in one piece, so that the lines of several workers aren't mixed. */
const pieceBytes = 4_096;

/** Pino calls `flush` or `flushSync` to write the collected lines. */
interface LogLines extends DestinationStream {
  flush(done?: () => void): void;
  flushSync(): void;
}

/**
 * Collects log lines during one iteration of the event loop and writes them together, because a system call costs more
 * than a line. If the process is killed, only the lines that aren't written yet are lost.
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
