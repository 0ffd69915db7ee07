import { execFileSync } from 'node:child_process';
import { statfsSync, writeFileSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openDatabase } from '#db';
import { createDatabaseCheck } from '../../gateway/health.ts';
import {
  copyMigratedDatabase,
  createMigratedDataDir,
  describeOnPostgres,
  withClient,
} from '../support/databases.ts';
import { type OwnPostgres, postgresPrograms, startOwnPostgres } from '../support/own-postgres.ts';
import { isFull, propertyRuns } from '../support/property-runs.ts';

const open = (databaseUrl: string | null, dataDir = '') =>
  openDatabase({ databaseUrl, dataDir, role: 'service' });

describe('the readiness check of the database', () => {
  const fine = { pending: [], unknown: [] };
  /** The database is healthy, except for the given methods. */
  const checkOf = (differs: Partial<Parameters<typeof createDatabaseCheck>[0]>) =>
    createDatabaseCheck({
      missingRights: async () => [],
      ping: async () => true,
      schemaState: async () => fine,
      tryWrite: async () => true,
      ...differs,
    });

  test('tries a write at most once in five seconds, however often the check is requested', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    let writes = 0;
    const look = checkOf({
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

  test('runs once for all simultaneous callers, and again for a later caller', async () => {
    const answers = Promise.withResolvers<boolean>();
    let pings = 0;
    const look = checkOf({
      ping() {
        pings += 1;
        return pings === 1 ? answers.promise : Promise.resolve(false);
      },
    });
    const looks = Array.from({ length: 50 }, look);
    expect(pings).toBe(1);
    answers.resolve(true);
    expect(new Set(await Promise.all(looks))).toEqual(new Set(['ok']));
    expect(await look()).toBe('down');
    expect(pings).toBe(2);
  });

  test('runs again after a check that threw an error', async () => {
    let looks = 0;
    const look = checkOf({
      async schemaState() {
        looks += 1;
        if (looks === 1) throw new Error('gone');
        return fine;
      },
    });
    await expect(look()).rejects.toThrow('gone');
    expect(await look()).toBe('ok');
  });

  test.each([
    ['not_migrated', { pending: ['a'], unknown: [] }],
    ['newer', { pending: [], unknown: ['b'] }],
    ['newer', { pending: ['a'], unknown: ['b'] }],
  ])('returns %s if these migrations are pending or unknown: %j', async (expected, schema) => {
    expect(await checkOf({ schemaState: async () => schema })()).toBe(expected);
  });

  test('reports missing rights within thirty seconds, and restored rights within one second', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const lacking = { role: 'service', isOwner: false, missing: ['insert on mail'], surplus: [] };
    let found: (typeof lacking)[] = [lacking];
    let looks = 0;
    const look = checkOf({
      async missingRights() {
        looks += 1;
        return found;
      },
    });
    expect([await look(), await look()]).toEqual(['rights_missing', 'rights_missing']);
    expect(looks).toBe(1);
    found = [];
    vi.advanceTimersByTime(1_000);
    expect([await look(), await look()]).toEqual(['ok', 'ok']);
    expect(looks).toBe(2);
    found = [lacking];
    vi.advanceTimersByTime(30_000);
    expect(await look()).toBe('rights_missing');
    vi.useRealTimers();
  });

  test('reports missing rights if the role can’t read the schema, and throws other errors', async () => {
    const refused = (code: string) => {
      const refusal = Object.assign(new Error('no'), { code });
      return checkOf({ schemaState: () => Promise.reject(refusal) })();
    };
    expect(await refused('42501')).toBe('rights_missing');
    await expect(refused('42P01')).rejects.toThrow('no');
  });

  test('returns down if the rights can’t be read', async () => {
    const look = checkOf({ missingRights: () => Promise.reject(new Error('no')) });
    expect(await look()).toBe('down');
  });
});

const manyTries = propertyRuns(200);

test('the write check of the embedded database succeeds, and no file grows', async () => {
  const folder = await createMigratedDataDir();
  const database = await open(null, folder.path);
  await database.migrate();
  /** Every write makes the write-ahead log grow, so it is left out. */
  const files = async () => {
    const entries = await readdir(folder.path, { recursive: true, withFileTypes: true });
    const kept = entries.filter(
      (entry) => entry.isFile() && !entry.parentPath.includes(join('database', 'pg_wal')),
    );
    const paths = kept.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
    return Promise.all(paths.map(async (path) => [path, (await stat(path)).size]));
  };
  expect(await database.tryWrite(60_000)).toBe(true);
  const before = await files();
  for (let count = 0; count < manyTries; count += 1) await database.tryWrite(60_000);
  expect(await files()).toEqual(before);
  expect(await database.tryWrite(60_000)).toBe(true);
  await database.close();
  await folder.remove();
});

await describeOnPostgres('a write check', (createDatabase) => {
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

  test('leaves no data in the database, however often it runs', async () => {
    /** The file number and size of every relation in the schema. A replaced file has a new number. */
    const relations = () =>
      query(`select relname, relfilenode, pg_relation_size(oid)::int as bytes from pg_class
        where relnamespace = 'public'::regnamespace order by relname`);
    expect(await database.tryWrite(5_000)).toBe(true);
    const before = await relations();
    for (let count = 0; count < manyTries; count += 1) await database.tryWrite(5_000);
    expect(await relations()).toEqual(before);
    expect(await database.tryWrite(5_000)).toBe(true);
  });

  test('doesn’t wait for a transaction that reads all tables, such as a dump, or for another check', async () => {
    await withClient(url, async (reader) => {
      await reader.query('begin');
      await reader.query('select * from write_check');
      expect(await database.tryWrite(5_000)).toBe(true);
      await reader.query('rollback; begin');
      await reader.query('select check_write()');
      expect(await database.tryWrite(5_000)).toBe(true);
      await reader.query('commit');
    });
  });

  test('takes no lock that blocks a reader on a standby', async () => {
    await withClient(url, async (client) => {
      await client.query('begin');
      await client.query('select check_write()');
      const { rows } = await client.query(
        `select from pg_locks where pid = pg_backend_pid() and mode = 'AccessExclusiveLock'`,
      );
      expect(rows).toEqual([]);
      await client.query('rollback');
    });
  });

  test('works on a database that allows no temporary files', async () => {
    const strict = new URL(url);
    strict.searchParams.set('options', '-c temp_file_limit=0');
    const other = await open(strict.href);
    expect(await other.tryWrite(5_000)).toBe(true);
    await other.close();
  });

  test('succeeds for a role that has no granted rights', async () => {
    const role = `server_${Date.now()}`;
    await query(`create role ${role} login`);
    const limited = new URL(url);
    limited.username = role;
    const other = await open(limited.href);
    expect(await other.tryWrite(5_000)).toBe(true);
    await other.close();
    await query(`drop role ${role}`);
  });

  test('writes to the sequence of the schema, even if the session has a temporary sequence of the same name', async () => {
    await withClient(url, async (client) => {
      await client.query('create temporary sequence write_check');
      await client.query('select check_write()');
      const { rows } = await client.query(
        'select (select is_called from pg_temp.write_check) as theirs, (select is_called from public.write_check) as ours',
      );
      expect(rows).toEqual([{ theirs: false, ours: true }]);
    });
  });

  test('fails if the database server is read-only', async () => {
    const reading = new URL(url);
    reading.searchParams.set('options', '-c default_transaction_read_only=on');
    const other = await open(reading.href);
    expect(await other.ping(5_000)).toBe(false);
    expect(await other.tryWrite(5_000)).toBe(false);
    await other.close();
  });
});

/** Checks that the database is down while its disk is full, and works again afterwards. */
async function isDownMeanwhile(database: Database, disk: string): Promise<void> {
  const look = () => createDatabaseCheck(database)();
  expect(await look()).toBe('ok');
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, 'full'), Buffer.alloc(bavail * bsize));
  expect(await database.ping(5_000)).toBe(true);
  expect(await look()).toBe('down');
  await rm(join(disk, 'full'));
  expect(await look()).toBe('ok');
}

const mayMount = process.platform === 'linux' && process.getuid?.() === 0;
const isPossible = mayMount && postgresPrograms !== null;
if (!isPossible) {
  console.error('SKIPPED: a full disk: it takes root and an installed PostgreSQL');
}

// The test of the embedded database below covers the same check, so this needs only a full run.
describe.skipIf(!isPossible || !isFull)('on a full disk', () => {
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
  });
  afterAll(async () => {
    await database?.close();
    execFileSync('umount', ['-l', disk]);
    await server.stop();
  });

  test('a database on a full disk that still answers counts as down until the disk has space again', () =>
    isDownMeanwhile(database, disk));
});

if (!mayMount) console.error('SKIPPED: an embedded database on a full disk: it takes root');

test.skipIf(!mayMount)(
  'an embedded database on a full disk counts as down until the disk has space again',
  async () => {
    const disk = await mkdtemp(join(tmpdir(), 'full-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200m', 'tmpfs', disk]);
    onTestFinished(async () => {
      execFileSync('umount', ['-l', disk]);
      await rm(disk, { recursive: true });
    });
    const dataDir = join(disk, 'data');
    await copyMigratedDatabase(dataDir);
    const database = await open(null, dataDir);
    onTestFinished(() => database.close());
    await isDownMeanwhile(database, disk);
  },
);
