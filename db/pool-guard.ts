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
export function guardPool(
  pool: GuardedPool,
  { silenceMilliseconds, onError }: GuardSettings,
): void {
  pool.on('error', onError);
  if (silenceMilliseconds === null) return;
  const inUse = new WeakSet<Client>();
  pool.on('acquire', (client) => inUse.add(client));
  pool.on('release', (_error, client) => inUse.delete(client));
  pool.on('connect', (client) => {
    const { stream } = client.connection;
    stream.setTimeout(silenceMilliseconds);
    stream.on('timeout', () => {
      if (inUse.has(client)) {
        stream.destroy(new Error('the database has been silent for too long'));
      }
    });
  });
}
