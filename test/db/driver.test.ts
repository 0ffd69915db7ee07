import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '#db';
import { openConnections } from '../../db/connections.ts';
import type { DriverClient } from '../../db/driver.ts';

const settings = { connections: 1, acquireMilliseconds: 1, statementMilliseconds: 1, onError() {} };
const open = () => openConnections({ url: 'postgres://127.0.0.1:1/none' }, settings);

/** Has clients change after they are made, as another version of the driver would make them. */
function changeClients(change: (client: DriverClient) => void) {
  const Known = pg.Client;
  vi.spyOn(pg, 'Client').mockImplementation(function changed(config) {
    const client = new Known(config) as DriverClient;
    change(client);
    return client;
  });
}

/** Has the events of a connection come under other names. */
const rename = (event: string) => (client: DriverClient) => {
  const { connection } = client;
  const emit = connection.emit.bind(connection);
  connection.emit = (name: string | symbol, ...rest: unknown[]) =>
    emit(name === event ? 'renamed' : name, ...rest);
};

describe('the insides of the driver', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('are as they are known', async () => {
    await open().close();
  });

  it.each<[string, (client: DriverClient) => void]>([
    ['pipeline', (client) => Object.assign(client, { pipeline: undefined })],
    [
      'processID',
      (client) => Object.defineProperty(client, 'processID', { get: () => null, set() {} }),
    ],
    ['the event notice', rename('notice')],
    ['the event errorMessage', rename('errorMessage')],
    ['the event parameterStatus', rename('parameterStatus')],
    [
      'the event commandComplete',
      ({ connection }) => vi.spyOn(connection, 'listenerCount').mockReturnValue(0),
    ],
  ])('are told by name when they have changed: %s', (name, change) => {
    changeClients(change);
    expect(open).toThrow(`the PostgreSQL driver pg has changed in ${name}; install the version`);
  });

  it.each(['totalCount', 'idleCount', 'waitingCount'] as const)(
    'are told when the pool does not count: %s',
    (count) => {
      vi.spyOn(pg.Pool.prototype, count, 'get').mockReturnValue(undefined as never);
      expect(open).toThrow('the PostgreSQL driver pg has changed in the counts of the pool');
    },
  );

  it('stop the service at its start, not at some error later', async () => {
    changeClients(rename('errorMessage'));
    await expect(
      openDatabase({ databaseUrl: 'postgres://127.0.0.1:1/none', dataDir: '', role: 'service' }),
    ).rejects.toThrow('the PostgreSQL driver pg has changed');
  });
});
