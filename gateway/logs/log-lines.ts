import type { DestinationStream } from 'pino';

/** What a pipe takes in one piece, so that the lines of several workers do not get into each other. */
const pieceBytes = 4_096;

/** With both of pino's ways to have everything written now. */
export interface LogLines extends DestinationStream {
  flush(done?: () => void): void;
  flushSync(): void;
}

/**
 * Puts the lines of one turn of the event loop into one piece: a system call for each costs more than making the line.
 * A process that is killed loses the lines of its last turn; one that ends by itself, or by an error, loses none.
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
