import type { Socket } from 'node:net';
import type { DriverClient, DriverPool } from './driver.ts';
import { isConnectionLoss } from './outages.ts';

/** Returns a promise, or calls the callback. The driver's own `query` method passes a callback. */
type Connect = (callback?: (...results: unknown[]) => void) => Promise<unknown> | undefined;

export interface PoolState {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

interface Parameter {
  readonly parameterName: string;
  readonly parameterValue: string;
}

interface GuardSettings {
  /** Null means no limit. */
  readonly silenceMilliseconds: number | null;
  readonly onError: (error: unknown) => void;
  readonly onWaited?: ((milliseconds: number) => void) | undefined;
}

/**
 * Closes connections that the driver wrongly treats as healthy:
 * - The server is silent while a statement waits for an answer. The driver's own timeout would keep the connection
 * open.
 * - The server committed a transaction although no standby confirmed it. The server then only warns and reports
 * success.
 * - The server became read-only, for example as a standby. Only a new connection reaches the new primary.
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
    // Doesn't report a lost idle connection, because the next statement opens another connection or reports the outage.
    pool.on('error', (error) => isConnectionLoss(error) || this.#settings.onError(error));
    pool.on('acquire', (client) => this.#inUse.add(client));
    pool.on('release', (_error, client) => {
      this.#inUse.delete(client);
      // The pool doesn't reuse a client that is closing.
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

/** Measures how long callers wait for a connection, because the driver doesn't report this time. */
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

const readOnlyTransaction = '25006';

/** The server function that warns if no standby confirms a commit. Its name is the same in every language. */
const standbyRoutine = 'SyncRepWaitForLSN';

/** Makes an unconfirmed commit fail. The server still reports success, so the driver must not receive that message. */
function failCommit({ connection }: DriverClient): void {
  const error = new Error('no standby has confirmed the commit');
  connection.emit('errorMessage', error);
  connection.removeAllListeners('commandComplete');
  connection.stream.destroy(error);
}
