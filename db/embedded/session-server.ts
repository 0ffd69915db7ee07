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

/** What a client wants carried out without anybody else in between. */
interface Exchange {
  readonly client: Client;
  readonly messages: readonly FrontendMessage[];
}

interface Client {
  readonly socket: Socket;
  /** What has come of an exchange that is not whole yet. */
  pending: FrontendMessage[];
  /** What it has sent that is not carried out yet. */
  bytes: number;
}

/** These end an exchange: a simple query, the end of an extended one, a flush of it, the parts of a copy. */
const ending = new Set(['startup', 'Q', 'S', 'H', 'F', 'd', 'c', 'f']);
const refusal = Buffer.from('N');
/** What a client says of itself at its start is of no use here, and could end the session of all. */
const startup = Buffer.from('\0\0\0\x17\0\x03\0\0user\0postgres\0\0', 'latin1');
const sync = Uint8Array.of(0x53, 0, 0, 0, 4);

/** How long a client may leave its transaction open without a word: everyone else waits for it. */
const idleInTransactionMilliseconds = 60_000;

/**
 * Serves the one session of PGlite to many connections. Whoever has begun an exchange or a transaction has the session
 * to itself until it is over; the others wait for their turn. A client that leaves, or falls silent, in the middle of a
 * transaction is rolled back.
 */
export class SessionServer {
  readonly #pglite: PGlite;
  readonly #onError: (error: unknown) => void;
  readonly #server: Server;
  readonly #clients = new Set<Client>();
  #waiting: Exchange[] = [];
  #owner: Client | null = null;
  #isRunning = false;
  #patience: NodeJS.Timeout | undefined;

  constructor(pglite: PGlite, onError: (error: unknown) => void) {
    this.#pglite = pglite;
    this.#onError = onError;
    this.#server = createServer((socket) => this.#welcome(socket));
    this.#server.on('error', onError);
  }

  async listen(path: string): Promise<void> {
    this.#server.listen(path);
    await once(this.#server, 'listening');
  }

  /** Cuts every connection; what was not committed is rolled back. */
  async close(): Promise<void> {
    for (const { socket } of this.#clients) socket.destroy();
    await new Promise<void>((done) => this.#server.close(() => done()));
    clearTimeout(this.#patience);
  }

  #welcome(socket: Socket): void {
    const client: Client = { socket, pending: [], bytes: 0 };
    const reader = new MessageReader();
    this.#clients.add(client);
    socket.on('data', (piece) => {
      if (socket.destroyed) return;
      try {
        for (const message of reader.read(piece as Buffer)) this.#take(client, message);
      } catch {
        // Nothing that comes after it can be understood, and it concerns nobody else.
        socket.destroy();
      }
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#dismiss(client));
  }

  #take(client: Client, message: FrontendMessage): void {
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

  #dismiss(client: Client): void {
    this.#clients.delete(client);
    this.#waiting = this.#waiting.filter((exchange) => exchange.client !== client);
    this.#run().catch(this.#onError);
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    clearTimeout(this.#patience);
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
    this.#patience = setTimeout(() => owner.socket.destroy(), idleInTransactionMilliseconds);
    this.#patience.unref();
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
      // The session itself failed, not a statement: the connection is of no more use to its client.
      client.socket.destroy();
    }
  }

  /** A client that is gone leaves a transaction, an exchange without its end, or both. */
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
