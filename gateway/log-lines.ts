import type { DestinationStream } from 'pino';

/** What a pipe takes in one piece, so that the lines of several workers do not get into each other. */
const pieceLength = 4_096;

/**
 * Puts the lines of one turn of the event loop into one piece: a system call for each costs more than making the line.
 * They are written before anything can end the process but the operating system.
 */
export function writeTogether(
  destination: DestinationStream,
): DestinationStream & { flush(): void } {
  let piece = '';

  function flush(): void {
    if (piece === '') return;
    destination.write(piece);
    piece = '';
  }

  process.on('exit', flush);
  return {
    write(line) {
      if (piece.length + line.length > pieceLength) flush();
      if (piece === '') setImmediate(flush);
      piece += line;
    },
    flush,
  };
}
