import type { Socket } from 'node:net';

/** The parts of the driver's pool and its clients that are used here. */
interface Client {
  readonly connection: { readonly stream: Socket };
}

export interface GuardedPool {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'connect' | 'acquire', listener: (client: Client) => void): unknown;
  on(event: 'release', listener: (error: unknown, client: Client) => void): unknown;
}

interface GuardSettings {
  /** Null: a connection may be silent for as long as it wants. */
  readonly silenceMilliseconds: number | null;
  readonly onError: (error: unknown) => void;
}

/**
 * Cuts a connection whose server has gone silent while a call waits for it. The driver has a time-out of its own, but
 * it leaves the silent connection in the pool, where the next call gets it.
 */
export class PoolGuard {
  readonly #settings: GuardSettings;
  readonly #inUse = new WeakSet<Client>();
  readonly #streams = new Set<Socket>();

  constructor(settings: GuardSettings) {
    this.#settings = settings;
  }

  watch(pool: GuardedPool): void {
    pool.on('error', this.#settings.onError);
    pool.on('acquire', (client) => this.#inUse.add(client));
    pool.on('release', (_error, client) => this.#inUse.delete(client));
    pool.on('connect', (client) => this.#watchClient(client));
  }

  /** Cuts every connection, whatever it is doing. */
  cutAll(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  #watchClient(client: Client): void {
    const { stream } = client.connection;
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
    const { silenceMilliseconds } = this.#settings;
    if (silenceMilliseconds === null) return;
    stream.setTimeout(silenceMilliseconds);
    stream.on('timeout', () => {
      if (!this.#inUse.has(client)) return;
      stream.destroy(new Error('the database has been silent for too long'));
    });
  }
}
