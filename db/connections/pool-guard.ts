import type { Socket } from 'node:net';
import type { DriverClient, DriverPool } from './driver.ts';
import { isConnectionLoss } from './outages.ts';

/** With a callback, as the driver's own `query` uses it, or without. */
type Connect = (callback?: (...results: unknown[]) => void) => Promise<unknown> | undefined;

/** The connections of a pool, and the calls that wait for one. */
export interface PoolState {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

/** A setting of the session that the server reports. */
interface Parameter {
  readonly parameterName: string;
  readonly parameterValue: string;
}

interface GuardSettings {
  /** Null allows any time of silence. */
  readonly silenceMilliseconds: number | null;
  readonly onError: (error: unknown) => void;
  /** Called for each call with the time that it waited for a connection. */
  readonly onWaited?: ((milliseconds: number) => void) | undefined;
}

/**
 * Ends what the driver would take for well:
 * - A connection whose server has gone silent while a call waits. The driver's own time-out would leave it in the pool,
 *   where the next call gets it.
 * - A commit for which the server gave up waiting for its standby. The server sends a warning, and then reports
 *   success.
 * - A connection whose server only reads, because it has become a standby for instance. Where another one is the primary
 *   now, only a new connection leads there.
 */
export class PoolGuard {
  readonly #settings: GuardSettings;
  readonly #inUse = new WeakSet<DriverClient>();
  readonly #readOnly = new WeakSet<DriverClient>();
  readonly #streams = new Set<Socket>();
  readonly #pools: DriverPool[] = [];

  constructor(settings: GuardSettings) {
    this.#settings = settings;
  }

  watch(pool: DriverPool): void {
    // The next call opens another connection or reports the outage.
    pool.on('error', (error) => isConnectionLoss(error) || this.#settings.onError(error));
    pool.on('acquire', (client) => this.#inUse.add(client));
    pool.on('release', (_error, client) => {
      this.#inUse.delete(client);
      // The pool doesn't reuse a client that is ending.
      if (this.#readOnly.has(client)) client.end().catch(this.#settings.onError);
    });
    pool.on('connect', (client) => this.#watchClient(client));
    this.#pools.push(pool);
    const { onWaited } = this.#settings;
    if (onWaited) timeWaits(pool, onWaited);
  }

  get state(): PoolState {
    const sum = (count: (pool: DriverPool) => number) =>
      this.#pools.reduce((total, pool) => total + count(pool), 0);
    return {
      used: sum(({ totalCount, idleCount }) => totalCount - idleCount),
      idle: sum(({ idleCount }) => idleCount),
      waiting: sum(({ waitingCount }) => waitingCount),
    };
  }

  /** Closes every connection at once. */
  cutAll(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  #watchClient(client: DriverClient): void {
    const { stream } = client.connection;
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
    client.on('notice', ({ routine }) => {
      if (routine === standbyRoutine) failCommit(client);
    });
    client.connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === readOnlyTransaction) this.#readOnly.add(client);
    });
    // The server reports changes of this setting.
    client.connection.on('parameterStatus', ({ parameterName, parameterValue }: Parameter) => {
      const isReadOnly = parameterName === 'default_transaction_read_only';
      if (isReadOnly && parameterValue === 'on') this.#readOnly.add(client);
    });
    const { silenceMilliseconds } = this.#settings;
    if (silenceMilliseconds === null) return;
    stream.setTimeout(silenceMilliseconds);
    stream.on('timeout', () => {
      if (!this.#inUse.has(client)) return;
      stream.destroy(new Error('the database has been silent for too long'));
    });
  }
}

/** Measures waiting times, because the driver doesn't report when a call starts to wait. */
function timeWaits(pool: DriverPool, onWaited: (milliseconds: number) => void): void {
  const connect: Connect = pool.connect.bind(pool);
  const timed: Connect = (callback) => {
    const startedAt = performance.now();
    const done = () => onWaited(performance.now() - startedAt);
    if (callback === undefined) {
      const connecting = connect();
      connecting?.then(done, done);
      return connecting;
    }
    return connect((...results) => {
      done();
      callback(...results);
    });
  };
  Object.assign(pool, { connect: timed });
}

/** SQLSTATE of a write that isn't allowed because the transaction is read-only. */
const readOnlyTransaction = '25006';

/** The server function that warns. Its name doesn't depend on the server's language, unlike the text. */
const standbyRoutine = 'SyncRepWaitForLSN';

/** Keeps the success that may follow the warning from the driver. */
function failCommit({ connection }: DriverClient): void {
  const error = new Error('no standby has confirmed the commit');
  connection.emit('errorMessage', error);
  connection.removeAllListeners('commandComplete');
  connection.stream.destroy(error);
}
