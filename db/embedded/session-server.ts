import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { PGlite } from '@electric-sql/pglite';
import {
  endsTransaction,
  type FrontendMessage,
  MalformedMessageError,
  MessageReader,
  maxBytes,
} from './wire-messages.ts';

/** Messages of one client that must run together, without messages of other clients in between. */
interface Exchange {
  readonly client: Client;
  readonly messages: readonly FrontendMessage[];
}

interface Client {
  readonly socket: Socket;
  /** The messages of an incomplete exchange. */
  pending: FrontendMessage[];
  /** The size of all messages that have not run yet. */
  bytes: number;
}

/** The message types that complete an exchange: startup, simple query, Sync, Flush, function call, and COPY. */
const ending = new Set(['startup', 'Q', 'S', 'H', 'F', 'd', 'c', 'f']);
const refusal = Buffer.from('N');
/** Replaces the startup message, because its settings could close the session that all clients share. */
const startup = Buffer.from('\0\0\0\x17\0\x03\0\0user\0postgres\0\0', 'latin1');
const sync = Uint8Array.of(0x53, 0, 0, 0, 4);

/** An idle transaction is rolled back after this time, because all other clients wait for it. */
const idleInTransactionMilliseconds = 60_000;

/**
 * Shares PGlite's single session between many clients. A client owns the session during an exchange or a transaction,
 * and all other clients wait. If the owner disconnects or is idle for too long, its transaction is rolled back.
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
        // The bytes after a malformed message can't be read.
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
      if (endsTransaction(answer)) this.#owner = null;
      if (client.socket.writable) client.socket.write(answer);
    } catch {
      // The complete session failed, so the result is unknown. The client must not get an answer.
      client.socket.destroy();
    }
  }

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
