import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly bodyBytes: number;
}

export interface Handlers {
  onAnswer(answer: Answer): void;
  /** The buffer is reused after the call, so the handler must copy data that it needs later. */
  onBody?(part: Buffer): void;
  /** Called once when the connection closes or can't be opened. */
  onEnd(error: Error): void;
}

const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');

/**
 * An HTTP/1.1 connection on the local machine that sends one request at a time. Reads only the status, the headers and
 * the length of a body, because a measurement needs no more.
 */
export class HttpConnection {
  readonly #socket: Socket;
  readonly #handlers: Handlers;
  #rest: Buffer | null = null;
  #status = 0;
  #bodyBytes = 0;
  /** The number of missing bytes: of the body, or of the present chunk including its line end. */
  #missing = 0;
  #state: 'head' | 'body' | 'chunk-size' | 'chunk' | 'trailer' = 'head';
  #hasEnded = false;

  constructor(port: number, handlers: Handlers) {
    this.#handlers = handlers;
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(256 * 1024),
        callback: (length, buffer) => {
          this.#take((buffer as Buffer).subarray(0, length));
          return true;
        },
      },
    });
    this.#socket.on('error', (error) => this.#end(error));
    this.#socket.on('close', () => this.#end(new Error('the connection was closed')));
  }

  send(request: Buffer): void {
    this.#socket.write(request);
  }

  close(): void {
    this.#hasEnded = true;
    this.#socket.destroy();
  }

  #end(error: Error): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#socket.destroy();
    this.#handlers.onEnd(error);
  }

  #take(chunk: Buffer): void {
    let data = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = null;
    while (data.length > 0 && !this.#hasEnded) {
      const used = this.#step(data);
      if (used === 0) {
        // Copies the data, because the next data reuses the buffer.
        this.#rest = Buffer.from(data);
        return;
      }
      data = data.subarray(used);
    }
  }

  /** Reads the next element of the response. Returns its length, or 0 if the element is incomplete. */
  #step(data: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(data);
      case 'body': {
        const length = Math.min(this.#missing, data.length);
        this.#handlers.onBody?.(data.subarray(0, length));
        this.#missing -= length;
        if (this.#missing === 0) this.#finish();
        return length;
      }
      case 'chunk-size': {
        const end = data.indexOf(lineEnd);
        if (end === -1) return 0;
        const size = Number.parseInt(data.toString('latin1', 0, end), 16);
        this.#bodyBytes += size;
        this.#missing = size + 2;
        this.#state = size === 0 ? 'trailer' : 'chunk';
        return end + 2;
      }
      case 'chunk': {
        const length = Math.min(this.#missing, data.length);
        this.#handlers.onBody?.(data.subarray(0, Math.min(length, Math.max(0, this.#missing - 2))));
        this.#missing -= length;
        if (this.#missing === 0) this.#state = 'chunk-size';
        return length;
      }
      case 'trailer': {
        const end = data.indexOf(lineEnd);
        if (end === -1) return 0;
        if (end === 0) this.#finish();
        return end + 2;
      }
    }
  }

  #readHead(data: Buffer): number {
    const end = data.indexOf(headEnd);
    if (end === -1) return 0;
    const head = data.toString('latin1', 0, end);
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) {
      this.#bodyBytes = Number(length);
      this.#missing = this.#bodyBytes;
      this.#state = 'body';
      if (this.#missing === 0) this.#finish();
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
      this.#bodyBytes = 0;
      this.#state = 'chunk-size';
    } else {
      this.#end(new Error('an answer without a length'));
    }
    return end + 4;
  }

  #finish(): void {
    this.#state = 'head';
    this.#handlers.onAnswer({ status: this.#status, bodyBytes: this.#bodyBytes });
  }
}
