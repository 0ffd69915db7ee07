import { execFileSync } from 'node:child_process';
import { statfsSync, writeFileSync } from 'node:fs';
import { chown, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '#db';
import { watchDatabase } from '../../gateway/health.ts';
import { createDataDir, describeOnPostgres, withClient } from '../support/databases.ts';
import { type OwnPostgres, postgresPrograms, startOwnPostgres } from '../support/own-postgres.ts';

const open = (databaseUrl: string | null, dataDir = '') =>
  openDatabase({ databaseUrl, dataDir, role: 'service' });

describe('what the readiness says of the database', () => {
  const fine = { pending: [], unknown: [] };

  test('is asked of a write once in five seconds at most, whoever asks', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    let writes = 0;
    const look = watchDatabase({
      ping: async () => true,
      schemaState: async () => fine,
      async tryWrite() {
        writes += 1;
        return writes !== 2;
      },
    });
    const looks = await Promise.all(Array.from({ length: 50 }, look));
    expect(looks).toEqual(looks.map(() => 'ok'));
    vi.advanceTimersByTime(4_999);
    expect(await look()).toBe('ok');
    expect(writes).toBe(1);
    vi.advanceTimersByTime(1);
    expect([await look(), await look()]).toEqual(['down', 'down']);
    vi.advanceTimersByTime(5_000);
    expect(await look()).toBe('ok');
    expect(writes).toBe(3);
    vi.useRealTimers();
  });

  test.each([
    ['not_migrated', { pending: ['a'], unknown: [] }],
    ['newer', { pending: [], unknown: ['b'] }],
    ['newer', { pending: ['a'], unknown: ['b'] }],
  ])('is %s when its schema is', async (expected, schema) => {
    const look = watchDatabase({
      ping: async () => true,
      schemaState: async () => schema,
      tryWrite: async () => true,
    });
    expect(await look()).toBe(expected);
  });
});

test('the embedded database can be written, and nothing grows', async () => {
  const folder = await createDataDir();
  const database = await open(null, folder.path);
  await database.migrate();
  for (let count = 0; count < 3; count += 1) expect(await database.tryWrite(60_000)).toBe(true);
  await database.close();
  await folder.remove();
}, 60_000);

await describeOnPostgres('a write that is tried', (createDatabase) => {
  let url: string;
  let database: Database;

  beforeAll(async () => {
    url = (await createDatabase()).url;
    database = await open(url);
    await database.migrate();
  });
  afterAll(() => database.close());

  const query = async (text: string) =>
    (await withClient(url, (client) => client.query(text))).rows;

  test('leaves one row, however often', async () => {
    for (let count = 0; count < 5; count += 1) expect(await database.tryWrite(5_000)).toBe(true);
    expect(await query('select count(*)::int from write_check')).toEqual([{ count: 1 }]);
    expect(await query(`select pg_table_size('write_check')::int as bytes`)).toEqual([
      { bytes: 8_192 },
    ]);
  });

  test('needs no right of the role that serves', async () => {
    const role = `server_${Date.now()}`;
    await query(`create role ${role} login`);
    const limited = new URL(url);
    limited.username = role;
    const other = await open(limited.href);
    expect(await other.tryWrite(5_000)).toBe(true);
    await other.close();
    await query(`drop role ${role}`);
  });

  test('writes to its own table, whatever a role puts before it', async () => {
    await withClient(url, async (client) => {
      await client.query('create temporary table write_check (checked_at int)');
      await client.query('select check_write()');
    });
  });

  test('fails on a server that only reads', async () => {
    const reading = new URL(url);
    reading.searchParams.set('options', '-c default_transaction_read_only=on');
    const other = await open(reading.href);
    expect(await other.ping(5_000)).toBe(true);
    expect(await other.tryWrite(5_000)).toBe(false);
    await other.close();
  });
});

const mayMount = process.platform === 'linux' && process.getuid?.() === 0;
const isPossible = mayMount && postgresPrograms !== null;
if (!isPossible) {
  console.error('\nSKIPPED: a full disk: it takes root and an installed PostgreSQL\n');
}

describe.skipIf(!isPossible)('on a full disk', () => {
  let server: OwnPostgres;
  let disk: string;
  let database: Database;

  beforeAll(async () => {
    server = await startOwnPostgres();
    disk = join(server.folder, 'disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', disk]);
    const tablespace = join(disk, 'tablespace');
    await mkdir(tablespace, { mode: 0o700 });
    await chown(tablespace, server.owner.uid ?? 0, server.owner.gid ?? 0);
    await withClient(server.url, async (client) => {
      await client.query(`create tablespace small location '${tablespace}'`);
      await client.query('create database small tablespace small');
    });
    const url = new URL(server.url);
    url.pathname = '/small';
    database = await open(url.href);
    await database.migrate();
  }, 120_000);
  afterAll(async () => {
    await database?.close();
    execFileSync('umount', ['-l', disk]);
    await server.stop();
  });

  test('a database that still answers is down, until there is room again', async () => {
    const look = () => watchDatabase(database)();
    expect(await look()).toBe('ok');
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'full'), Buffer.alloc(bavail * bsize));
    expect(await database.ping(5_000)).toBe(true);
    expect(await look()).toBe('down');
    await rm(join(disk, 'full'));
    expect(await look()).toBe('ok');
  });
});
