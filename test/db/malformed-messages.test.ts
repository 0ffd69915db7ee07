import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SessionServer } from '../../db/embedded/session-server.ts';
import { MalformedMessageError, MessageReader, maxBytes } from '../../db/embedded/wire-messages.ts';
import { createMigratedDataDir, type DataDir } from '../support/databases.ts';
import { propertyRuns } from '../support/property-runs.ts';

const startup = Buffer.from('\0\0\0\x17\0\x03\0\0user\0postgres\0\0', 'latin1');

/** Builds a protocol message. The given length may be wrong. */
function frame(type: string, length: number, body: Uint8Array = new Uint8Array()): Buffer {
  const header = Buffer.alloc(5);
  header.write(type, 'latin1');
  header.writeUInt32BE(length, 1);
  return Buffer.concat([header, body]);
}

const whole = (type: string, body: Uint8Array) => frame(type, 4 + body.length, body);

describe('the embedded database', () => {
  let dataDir: DataDir;
  let pglite: PGlite;
  let server: SessionServer;
  let neighbour: pg.Client;

  beforeAll(async () => {
    dataDir = await createMigratedDataDir();
    pglite = await PGlite.create(join(dataDir.path, 'database'));
    server = new SessionServer(pglite, (error) => expect.fail(String(error)));
    await server.listen(join(dataDir.path, '.s.PGSQL.5432'));
    neighbour = new pg.Client({ host: dataDir.path, user: 'postgres', database: 'postgres' });
    await neighbour.connect();
  });
  afterAll(async () => {
    await neighbour.end();
    await server.close();
    await pglite.close();
    await dataDir.remove();
  });

  function open(): Socket {
    const socket = connect(join(dataDir.path, '.s.PGSQL.5432'));
    socket.on('error', () => undefined);
    socket.resume();
    return socket;
  }

  async function expectServesOthers(): Promise<void> {
    const { rows } = await neighbour.query('select $1::int as number', [7]);
    expect(rows).toEqual([{ number: 7 }]);
  }

  it.each<[string, Uint8Array]>([
    ['a startup message that contains only its length', Buffer.from([0, 0, 0, 4, 0, 0, 0, 0])],
    ['a startup message with the length 0', Buffer.alloc(8)],
    [
      'a startup message with an enormous length',
      Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 3, 0, 0]),
    ],
    ['another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a message with the length 0', Buffer.concat([startup, frame('Q', 0)])],
    ['a message with an enormous length', Buffer.concat([startup, frame('Q', 0xffff_ffff)])],
    ['a message of an unknown type', Buffer.concat([startup, frame('!', 4)])],
    ['an unexpected password', Buffer.concat([startup, whole('p', Buffer.from('x'))])],
  ])('closes only the connection of the client that sends %s', async (_what, bytes) => {
    const socket = open();
    const closed = once(socket, 'close');
    socket.write(bytes);
    await closed;
    await expectServesOthers();
  });

  it('closes the connection of a client whose messages exceed the size limit before a Sync message', async () => {
    const socket = open();
    const closed = once(socket, 'close');
    const part = whole('P', Buffer.alloc(1024 * 1024));
    socket.write(startup);
    for (let sent = 0; sent <= maxBytes; sent += part.length) socket.write(part);
    await closed;
    await expectServesOthers();
  });

  it('keeps serving other clients, whatever bytes one client sends', async () => {
    const bytes = fc.uint8Array({ maxLength: 60 });
    const message = fc
      .tuple(fc.constantFrom(...'BCDEFHPQSXcdf'), bytes)
      .map(([type, body]) => whole(type, body));
    const broken = fc
      .tuple(fc.string({ minLength: 1, maxLength: 1, unit: 'binary-ascii' }), fc.nat(), bytes)
      .map(([type, length, body]) => frame(type, length, body));
    const stream = fc.oneof(
      bytes,
      fc
        .array(fc.oneof({ weight: 4, arbitrary: message }, broken), { maxLength: 6 })
        .map((messages) => Buffer.concat([startup, ...messages])),
    );
    await fc.assert(
      fc.asyncProperty(stream, async (sent) => {
        const socket = open();
        const closed = once(socket, 'close');
        socket.end(sent);
        await closed;
        await expectServesOthers();
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});

describe('the reader of protocol messages', () => {
  const messages = fc.array(
    fc.tuple(fc.constantFrom(...'BCDEFHPQSXcdf'), fc.uint8Array({ maxLength: 40 })),
  );

  it('finds the same messages if the bytes arrive in pieces of any size', () => {
    fc.assert(
      fc.property(messages, fc.array(fc.integer({ min: 1, max: 30 })), (sent, sizes) => {
        const bytes = Buffer.concat([startup, ...sent.map(([type, body]) => whole(type, body))]);
        const reader = new MessageReader();
        const found = [];
        let start = 0;
        for (const size of [...sizes, bytes.length]) {
          found.push(...reader.read(bytes.subarray(start, start + size)));
          start += size;
        }
        expect(found.map(({ type }) => type)).toEqual(['startup', ...sent.map(([type]) => type)]);
        expect(Buffer.concat(found.map((message) => message.bytes)).equals(bytes)).toBe(true);
      }),
    );
  });

  it('either parses the bytes or reports them as malformed', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 30 })), (pieces) => {
        const reader = new MessageReader();
        try {
          for (const piece of pieces) reader.read(Buffer.from(piece));
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessageError);
        }
      }),
    );
  });
});
