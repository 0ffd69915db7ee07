import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { PGlite } from '@electric-sql/pglite';
import {
  type FrontendMessage,
  MalformedMessageError,
  MessageReader,
  maxBytes,
  readStatus,
} from './wire-messages.ts';

/** Messages that must run without another client's messages in between. */
interface Exchange {
  readonly client: Client;
  readonly messages: readonly FrontendMessage[];
}

interface Client {
  readonly socket: Socket;
  /** The messages of an exchange that isn't complete. */
  pending: FrontendMessage[];
  /** The size of the messages that haven't run yet. */
  bytes: number;
}

/** These messages complete an exchange: a startup, a simple query, Sync, Flush, a function call, the parts of a COPY. */
const ending = new Set(['startup', 'Q', 'S', 'H', 'F', 'd', 'c', 'f']);
const refusal = Buffer.from('N');
/** Replaces each client's startup message, whose settings could end the session of all clients. */
const startup = Buffer.from('\0\0\0\x17\0\x03\0\0user\0postgres\0\0', 'latin1');
const sync = Uint8Array.of(0x53, 0, 0, 0, 4);

/** How long a client's transaction may be idle while all other clients wait. */
const idleInTransactionMilliseconds = 60_000;

/**
 * Shares PGlite's single session between many clients. A client in an exchange or a transaction owns the session; the
 * others
 * wait. A transaction whose client leaves, or is idle too long, is rolled back.
 */
export class SessionServer {
  readonly #pglite: PGlite;
  readonly #onError: (error: unknown) => void;
  readonly #server: Server;
  readonly #clients = new Set<Client>();
  #waiting: Exchange[] = [];
  #owner: Client | null = null;
  #isRunning = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(pglite: PGlite, onError: (error: unknown) => void) {
    this.#pglite = pglite;
    this.#onError = onError;
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.on('error', onError);
  }

  async listen(path: string): Promise<void> {
    this.#server.listen(path);
    await once(this.#server, 'listening');
  }

  /** Closes every connection and rolls back open transactions. */
  async close(): Promise<void> {
    for (const { socket } of this.#clients) socket.destroy();
    await new Promise<void>((done) => this.#server.close(() => done()));
    clearTimeout(this.#idleTimer);
  }

  #accept(socket: Socket): void {
    const client: Client = { socket, pending: [], bytes: 0 };
    const reader = new MessageReader();
    this.#clients.add(client);
    socket.on('data', (piece) => {
      if (socket.destroyed) return;
      try {
        for (const message of reader.read(piece as Buffer)) this.#receive(client, message);
      } catch {
        // A client's bytes after a malformed message can't be read. Other clients aren't affected.
        socket.destroy();
      }
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#forget(client));
  }

  #receive(client: Client, message: FrontendMessage): void {
    if (message.type === 'encryption') client.socket.write(refusal);
    else if (message.type === 'cancel' || message.type === 'X') client.socket.end();
    else client.pending.push(message);
    client.bytes += message.bytes.length;
    if (client.bytes > maxBytes || client.socket.writableLength > maxBytes) {
      throw new MalformedMessageError('a client that sends without end, or never reads');
    }
    if (!ending.has(message.type)) return;
    this.#waiting.push({ client, messages: client.pending });
    client.pending = [];
    this.#run().catch(this.#onError);
  }

  #forget(client: Client): void {
    this.#clients.delete(client);
    this.#waiting = this.#waiting.filter((exchange) => exchange.client !== client);
    this.#run().catch(this.#onError);
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    clearTimeout(this.#idleTimer);
    try {
      for (;;) {
        if (this.#owner !== null && !this.#clients.has(this.#owner)) await this.#rollBack();
        const exchange = this.#next();
        if (exchange === undefined) break;
        await this.#execute(exchange);
      }
    } finally {
      this.#isRunning = false;
    }
    const owner = this.#owner;
    if (owner === null) return;
    this.#idleTimer = setTimeout(() => owner.socket.destroy(), idleInTransactionMilliseconds);
    this.#idleTimer.unref();
  }

  #next(): Exchange | undefined {
    const index = this.#waiting.findIndex(
      ({ client }) => this.#owner === null || client === this.#owner,
    );
    return index === -1 ? undefined : this.#waiting.splice(index, 1)[0];
  }

  async #execute({ client, messages }: Exchange): Promise<void> {
    this.#owner = client;
    for (const { bytes } of messages) client.bytes -= bytes.length;
    try {
      const answer = await this.#send(messages);
      if (readStatus(answer) === 'idle') this.#owner = null;
      if (client.socket.writable) client.socket.write(answer);
    } catch {
      // The session failed, not a statement, so the client can't know the result.
      client.socket.destroy();
    }
  }

  /** Rolls back for a client that left in the middle of an exchange or a transaction. */
  async #rollBack(): Promise<void> {
    this.#owner = null;
    await this.#pglite.runExclusive(() => this.#pglite.execProtocolRaw(sync));
    await this.#pglite.exec('rollback');
  }

  #send(messages: readonly FrontendMessage[]): Promise<Buffer> {
    return this.#pglite.runExclusive(async () => {
      const answers: Uint8Array[] = [];
      for (const { type, bytes } of messages) {
        answers.push(await this.#pglite.execProtocolRaw(type === 'startup' ? startup : bytes));
      }
      return Buffer.concat(answers);
    });
  }
}
