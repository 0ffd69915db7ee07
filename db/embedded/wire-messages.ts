/**
 * Splits the bytes of PostgreSQL's wire protocol, version 3, into messages. Source: PostgreSQL documentation, "Message
 * Formats".
 */

const sslRequest = 80877103;
const gssRequest = 80877104;
const cancelRequest = 80877102;

export interface FrontendMessage {
  /** The letter of the message type. Messages without a letter have `startup`, `encryption` or `cancel`. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Thrown for an invalid or oversized message. The bytes after such a message can't be read. */
export class MalformedMessageError extends Error {
  override name = 'MalformedMessageError';
}

/** The size limit for one message, and for all waiting messages of a client. */
export const maxBytes = 64 * 1024 * 1024;

/** PostgreSQL's own limit for a startup message. */
const maxStartupBytes = 10_000;

/** The message types that PostgreSQL accepts after the startup. Any other type would close the shared session. */
const clientTypes = new Set('BCDEFHPQSXcdf');

const protocolMajor = 3;

export class MessageReader {
  #pieces: Buffer[] = [];
  #bytes = 0;
  #neededBytes = 0;
  #isStarted = false;

  /**
   * Adds a piece of data, and returns the messages that are now complete.
   *
   * @throws MalformedMessageError
   */
  read(piece: Buffer): FrontendMessage[] {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    const messages: FrontendMessage[] = [];
    while (this.#bytes >= this.#neededBytes) {
      const message = this.#isStarted ? this.#nextTyped() : this.#nextUntyped();
      if (message === null) break;
      messages.push(message);
    }
    return messages;
  }

  #nextUntyped(): FrontendMessage | null {
    const header = this.#peek(8);
    if (header === null) return null;
    const length = header.readUInt32BE(0);
    if (length < 8 || length > maxStartupBytes) throw new MalformedMessageError('startup length');
    const code = header.readUInt32BE(4);
    const isSpecial = code === cancelRequest || code === sslRequest || code === gssRequest;
    if (!isSpecial && code >>> 16 !== protocolMajor) throw new MalformedMessageError('protocol');
    const bytes = this.#take(length);
    if (bytes === null) return null;
    if (code === cancelRequest) return { type: 'cancel', bytes };
    if (isSpecial) return { type: 'encryption', bytes };
    this.#isStarted = true;
    return { type: 'startup', bytes };
  }

  #nextTyped(): FrontendMessage | null {
    const header = this.#peek(5);
    if (header === null) return null;
    const type = String.fromCharCode(header[0] ?? 0);
    const length = header.readUInt32BE(1);
    if (!clientTypes.has(type)) throw new MalformedMessageError('type');
    if (length < 4 || length > maxBytes) throw new MalformedMessageError('length');
    const bytes = this.#take(1 + length);
    return bytes === null ? null : { type, bytes };
  }

  #peek(length: number): Buffer | null {
    this.#neededBytes = length;
    return this.#bytes < length ? null : this.#joined();
  }

  #take(length: number): Buffer | null {
    this.#neededBytes = length;
    if (this.#bytes < length) return null;
    const whole = this.#joined();
    this.#pieces = whole.length === length ? [] : [whole.subarray(length)];
    this.#bytes -= length;
    this.#neededBytes = 0;
    return whole.subarray(0, length);
  }

  /**
   * Joins the pieces into one buffer. Call this only when enough bytes have arrived, because joining after each piece
   * would copy a large message repeatedly.
   */
  #joined(): Buffer {
    const [only = Buffer.alloc(0), ...others] = this.#pieces;
    const whole = others.length === 0 ? only : Buffer.concat(this.#pieces);
    this.#pieces = [whole];
    return whole;
  }
}

/** Returns true if the last ReadyForQuery message of an answer reports no open transaction. */
export function endsTransaction(answer: Uint8Array): boolean {
  const view = new DataView(answer.buffer, answer.byteOffset, answer.byteLength);
  let isIdle = false;
  for (let start = 0; start + 5 <= answer.length; start += 1 + view.getUint32(start + 1)) {
    if (String.fromCharCode(answer[start] ?? 0) !== 'Z') continue;
    isIdle = String.fromCharCode(answer[start + 5] ?? 0) === 'I';
  }
  return isIdle;
}
