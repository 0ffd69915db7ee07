import { eventLoopThrottle, limits, ProtocolError } from '#http';
import { describeTooLong } from './limits/request-budget.ts';
import { fillPlaceholders } from './serialized-lists/operation-lists.ts';

/** After about this number of characters, other callers can use the event loop. */
const pieceLength = 64 * 1024;

/**
 * Writes a response piece by piece, so that other callers can use the event loop. Replaces placeholders with their
 * lists.
 *
 * @throws ProtocolError `query_too_costly`
 */
export async function writeBody(
  body: unknown,
  lists: readonly Buffer[],
  maxBytes: number,
): Promise<Buffer> {
  const written: Buffer[] = [];
  let length = 0;
  let pending = '';

  function flush(): void {
    for (const piece of fillPlaceholders(pending, lists)) {
      length += piece.length;
      written.push(piece);
    }
    pending = '';
    if (length > maxBytes)
      throw new ProtocolError('query_too_costly', { message: describeTooLong(maxBytes) });
  }

  for (const piece of piecesOf(body)) {
    pending += piece;
    if (pending.length < pieceLength) continue;
    flush();
    await eventLoopThrottle.begin(pieceLength * limits.eventLoop.perCharacter);
  }
  flush();
  return written.length === 1 && written[0] ? written[0] : Buffer.concat(written, length);
}

function* piecesOf(value: unknown): Generator<string> {
  if (
    typeof value !== 'object' ||
    value === null ||
    measureUpTo(value, pieceLength) < pieceLength
  ) {
    yield JSON.stringify(value);
    return;
  }
  const isList = Array.isArray(value);
  let separator = isList ? '[' : '{';
  for (const [name, inner] of Object.entries(value)) {
    yield isList ? separator : `${separator}${JSON.stringify(name)}:`;
    yield* piecesOf(inner);
    separator = ',';
  }
  yield isList ? ']' : '}';
}

/** Estimates the length of the value's JSON without writing the JSON. Stops at `bound`. */
function measureUpTo(value: unknown, bound: number): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null) return 6;
  let length = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (length >= bound) return length;
      length += measureUpTo(item, bound - length);
    }
    return length;
  }
  for (const name in value) {
    if (length >= bound) return length;
    length +=
      name.length + 3 + measureUpTo((value as Record<string, unknown>)[name], bound - length);
  }
  return length;
}
