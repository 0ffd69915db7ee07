import { Socket } from 'node:net';
import pg from 'pg';
import { StorageError } from './storage-error.ts';

/** A connection of the driver, with those of its insides that are used here. */
export interface DriverClient extends pg.PoolClient {
  readonly connection: pg.Connection & { readonly stream: Socket };
  /** The number of its session, as whoever answers there has told it. */
  readonly processID: number;
}

/** The driver's pool, with those of its insides that are used here. */
export interface DriverPool extends Omit<pg.Pool, 'on' | 'options'> {
  readonly options: {
    readonly types: { setTypeParser(type: number, parse: (text: string) => unknown): void };
  };
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'connect' | 'acquire', listener: (client: DriverClient) => void): unknown;
  on(event: 'release', listener: (error: unknown, client: DriverClient) => void): unknown;
}

/**
 * Tries what pool-guard.ts, prepared-statements.ts and connections.ts use of the driver beyond what it documents. No
 * connection is made: a client is fed what a server would send.
 *
 * @throws StorageError when the driver has changed
 */
export function requireKnownDriver(pool: DriverPool): void {
  const changed = Object.entries(insidesOf(pool)).filter(([, isKnown]) => !isKnown);
  if (changed.length === 0) return;
  const names = changed.map(([name]) => name).join(', ');
  const message = `the PostgreSQL driver pg has changed in ${names}; install the version that package.json names`;
  throw new StorageError(message);
}

function insidesOf(pool: DriverPool): Readonly<Record<string, boolean>> {
  const stream = Object.assign(new Socket(), { connect: () => stream });
  const options = { stream: () => stream, pipeline: true, ssl: false, user: '' };
  const client = new pg.Client(options) as DriverClient;
  const { connection } = client;
  const heard: Record<string, unknown> = {};
  client.on('notice', ({ routine }) => {
    heard.notice = routine;
  });
  connection.on('errorMessage', ({ code }) => {
    heard.errorMessage = code;
  });
  connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
    heard[parameterName] = parameterValue;
  });
  client.connect().catch(() => undefined);
  for (const message of messages) stream.emit('data', message);
  const isCommandHeard = connection.listenerCount('commandComplete') > 0;
  stream.destroy();
  return {
    'the class of the pool (another copy of it is installed)': pool instanceof pg.Pool,
    'the counts of the pool': [pool.totalCount, pool.idleCount, pool.waitingCount].every(
      Number.isInteger,
    ),
    'options.types of the pool': typeof pool.options.types?.setTypeParser === 'function',
    'connection.stream': connection.stream === stream,
    pipeline: client.pipeline,
    processID: client.processID === 7,
    'the event notice': heard.notice === 'of_function',
    'the event errorMessage': heard.errorMessage === '25006',
    'the event parameterStatus': heard.setting === 'on',
    'the event commandComplete': isCommandHeard,
  };
}

/** In the server's protocol: the key of the session, a setting, a notice and an error. */
const messages = [
  messageOf('K', '\0\0\0\x07\0\0\0\0'),
  messageOf('S', 'setting\0on\0'),
  messageOf('N', 'Rof_function\0\0'),
  messageOf('E', 'C25006\0\0'),
];

function messageOf(type: string, content: string): Buffer {
  const bytes = Buffer.from(`${type}\0\0\0\0${content}`, 'latin1');
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
}
