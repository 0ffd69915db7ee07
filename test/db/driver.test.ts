import { Socket } from 'node:net';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { DriverClient } from '../../db/connections/driver.ts';
import { openConnections } from '../../db/connections/pool.ts';

function messageOf(type: string, content: string): Buffer {
  const bytes = Buffer.from(`${type}\0\0\0\0${content}`, 'latin1');
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
}

/** A client without a server, and the socket through which a test sends it server messages. */
function openClient() {
  const stream: Socket = Object.assign(new Socket(), { connect: () => stream });
  const options = { stream: () => stream, pipeline: true, ssl: false, user: '' };
  const client = new pg.Client(options) as DriverClient;
  client.connect().catch(() => undefined);
  return { client, stream };
}

/** db/connections/pool-guard.ts, prepared-statements.ts and pool.ts use these parts. */
describe('the undocumented parts of the driver', () => {
  it('report how many connections a pool has', async () => {
    const settings = {
      connections: 1,
      acquireMilliseconds: 1,
      statementMilliseconds: 1,
      onError() {},
    };
    const opened = openConnections({ url: 'postgres://127.0.0.1:1/none' }, settings);
    expect(opened.pool, 'another copy of the driver is installed').toBeInstanceOf(pg.Pool);
    expect(opened.state).toEqual({ used: 0, idle: 0, waiting: 0 });
    await opened.close();
  });

  it('show the socket of a connection, and whether the driver pipelines statements', () => {
    const { client, stream } = openClient();
    expect(client.connection.stream).toBe(stream);
    expect(client.pipeline).toBe(true);
    stream.destroy();
  });

  it('report notices, errors and settings that the server sends', () => {
    const { client, stream } = openClient();
    const seen: unknown[] = [];
    client.on('notice', ({ routine }) => seen.push(routine));
    client.connection.on('errorMessage', ({ code }) => seen.push(code));
    client.connection.on('parameterStatus', ({ parameterName, parameterValue }) =>
      seen.push([parameterName, parameterValue]),
    );
    stream.emit('data', messageOf('S', 'setting\0on\0'));
    stream.emit('data', messageOf('N', 'Rof_function\0\0'));
    stream.emit('data', messageOf('E', 'C25006\0\0'));
    expect(seen).toEqual([['setting', 'on'], 'of_function', '25006']);
    stream.destroy();
  });

  it('report the end of a command', () => {
    const { client, stream } = openClient();
    expect(client.connection.listenerCount('commandComplete')).toBeGreaterThan(0);
    stream.destroy();
  });
});
