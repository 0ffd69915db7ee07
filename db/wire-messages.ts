/** Framing of PostgreSQL's wire protocol, version 3. Source: PostgreSQL documentation, "Message Formats". */

const sslRequest = 80877103;
const gssRequest = 80877104;
const cancelRequest = 80877102;

/** One message of a client, whole. */
export interface FrontendMessage {
  /** The letter that tells its type; `startup`, `encryption` and `cancel` have none. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Takes messages out of a stream of bytes, which come in pieces of any size. */
export class MessageReader {
  #rest: Buffer = Buffer.alloc(0);
  #isStarted = false;

  /** The messages that are whole now. */
  read(piece: Buffer): FrontendMessage[] {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const messages: FrontendMessage[] = [];
    for (let message = this.#next(); message !== null; message = this.#next()) {
      messages.push(message);
    }
    return messages;
  }

  #next(): FrontendMessage | null {
    return this.#isStarted ? this.#nextTyped() : this.#nextUntyped();
  }

  #nextUntyped(): FrontendMessage | null {
    if (this.#rest.length < 8) return null;
    const bytes = this.#take(this.#rest.readUInt32BE(0));
    if (bytes === null) return null;
    const code = bytes.readUInt32BE(4);
    if (code === cancelRequest) return { type: 'cancel', bytes };
    if (code === sslRequest || code === gssRequest) return { type: 'encryption', bytes };
    this.#isStarted = true;
    return { type: 'startup', bytes };
  }

  #nextTyped(): FrontendMessage | null {
    if (this.#rest.length < 5) return null;
    const type = String.fromCharCode(this.#rest[0] ?? 0);
    const bytes = this.#take(1 + this.#rest.readUInt32BE(1));
    return bytes === null ? null : { type, bytes };
  }

  #take(length: number): Buffer | null {
    if (this.#rest.length < length) return null;
    const bytes = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return bytes;
  }
}

/** What a server says of itself when it is ready for the next statement. */
export type TransactionStatus = 'idle' | 'in transaction';

/** The status in the last ReadyForQuery of an answer; null when the answer has none, so that more is to come. */
export function readStatus(answer: Uint8Array): TransactionStatus | null {
  const view = new DataView(answer.buffer, answer.byteOffset, answer.byteLength);
  let status: TransactionStatus | null = null;
  for (let start = 0; start + 5 <= answer.length; start += 1 + view.getUint32(start + 1)) {
    if (String.fromCharCode(answer[start] ?? 0) !== 'Z') continue;
    status = String.fromCharCode(answer[start + 5] ?? 0) === 'I' ? 'idle' : 'in transaction';
  }
  return status;
}
