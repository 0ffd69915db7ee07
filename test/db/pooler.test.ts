import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#db';
import type { Connections } from '../../db/connections/pool.ts';
import { longWorkSettings, settingsOfRole } from '../../db/connections/pooler.ts';
import { preparedStatements } from '../../db/connections/prepared-statements.ts';
import { StorageError } from '../../db/connections/storage-error.ts';
import { sql } from '../../db/connections/store.ts';
import { describeRepositories } from '../contracts/index.ts';
import {
  createMigratedPostgresDatabase,
  type FreshDatabase,
  shareOne,
  whyNoPostgres,
  withClient,
} from '../support/databases.ts';
import { type Pgbouncer, setUpRole, startPgbouncer, whyNoPgbouncer } from '../support/pgbouncer.ts';
import { isFull } from '../support/property-runs.ts';
import { connectTo } from './connect.ts';

const missing = (await whyNoPostgres()) ?? whyNoPgbouncer;
if (missing !== null) console.error(`SKIPPED: everything through a pooler: ${missing}`);

describe.skipIf(missing !== null)('through a correctly configured pooler', () => {
  let fresh: FreshDatabase;
  let pgbouncer: Pgbouncer;
  let url: string;
  const opened: Connections[] = [];

  const connect = (inTransactions?: Readonly<Record<string, string>>) => {
    const connections = connectTo(url, {
      acquireMilliseconds: 20_000,
      isPooled: true,
      ...(inTransactions && { inTransactions }),
    });
    opened.push(connections);
    return connections;
  };
  const open = (isPooled: boolean, databaseUrl = url) =>
    openDatabase({ databaseUrl, isPooled, dataDir: '', role: 'service' });

  beforeAll(async () => {
    fresh = await createMigratedPostgresDatabase();
    await setUpRole(fresh.url);
    pgbouncer = await startPgbouncer(fresh.url);
    url = pgbouncer.urlOf(fresh.url);
  });
  afterAll(async () => {
    for (const { close } of opened) await close();
    await pgbouncer?.stop();
    await fresh?.drop();
  });

  it('each session has the settings that the service needs', async () => {
    const database = await open(true);
    expect(await database.findMissingSettings()).toEqual([]);
    await database.close();
  });

  it('the database server itself cancels a statement that takes too long', async () => {
    const { store } = connect();
    await expect(store.run(sql`select pg_sleep(60)`)).rejects.toMatchObject({
      code: 'service_unavailable',
      cause: { code: '57014' },
    });
  });

  it('long work has its own time limits and query plans, but only within its transactions', async () => {
    const { store } = connect(longWorkSettings);
    const { store: plain } = connect();
    const names = Object.keys(longWorkSettings);
    const settings = sql<{ name: string; setting: string }>`
      select name, setting from pg_settings where name = any(${names}::text[])`;
    const read = async (from: Pick<typeof store, 'run'>) =>
      Object.fromEntries((await from.run(settings)).map(({ name, setting }) => [name, setting]));
    expect(await read(store)).toEqual(longWorkSettings);
    expect(await store.transact(read)).toEqual(longWorkSettings);
    expect(await store.snapshot(read)).toEqual(longWorkSettings);
    expect(settingsOfRole).toMatchObject(await read(plain));
  });

  it('a session without the prepared statement still runs the statement, and the pooler is reported once', async () => {
    const { pool, orm } = connect();
    let told = 0;
    const batches = preparedStatements(pool, orm.em.getKysely(), () => {
      told += 1;
    });
    const ask = () => batches.run(sql`select ${1}::int as one`);
    /** Runs the statement in another session of the pooler, because transactions occupy `held` sessions. */
    const inNewSession = (held: number): Promise<unknown> =>
      held === 0
        ? ask()
        : withClient(url, async (client) => {
            await client.query('begin');
            return inNewSession(held - 1);
          });
    for (const held of [0, 1, 2, 3]) expect(await inNewSession(held)).toEqual([{ one: 1 }]);
    expect(told).toBe(pgbouncer.knowsPreparedStatements ? 0 : 1);
  });

  it('a migration is rejected through the pooler, but works on a direct connection', async () => {
    const database = await open(true);
    await expect(database.migrate()).rejects.toThrow(StorageError);
    await expect(database.migrateDown()).rejects.toThrow('migrations need a direct connection');
    await database.close();
    const direct = await open(false, fresh.url);
    await direct.migrate();
    expect(await direct.findMissingSettings()).toEqual([]);
    await direct.close();
  });
});

describe.skipIf(missing !== null)('through a pooler without the required configuration', () => {
  let fresh: FreshDatabase;

  beforeAll(async () => {
    fresh = await createMigratedPostgresDatabase();
  });
  afterAll(() => fresh?.drop());

  /** The settings that sessions lack if the pooler ignores the given parameters. */
  async function inspect(isPooled: boolean, ignored: readonly string[] = []) {
    const pgbouncer = await startPgbouncer(fresh.url, { ignored });
    const databaseUrl = pgbouncer.urlOf(fresh.url);
    const database = await openDatabase({ databaseUrl, isPooled, dataDir: '', role: 'service' });
    try {
      return await database.findMissingSettings();
    } finally {
      await database.close();
      await pgbouncer.stop();
    }
  }

  it('each missing setting of the sessions is reported', async () => {
    expect(await inspect(true)).toEqual(Object.keys(settingsOfRole));
  });

  it('each missing setting is reported even if the pooler ignores all parameters of the service', async () => {
    const ignored = ['statement_timeout', 'idle_in_transaction_session_timeout', 'options'];
    const missing = await inspect(false, ignored);
    expect(missing.toSorted()).toEqual(Object.keys(settingsOfRole).toSorted());
  });
});

// The tests above check each setting that a pooler can break, so this needs only full runs.
describe.skipIf(missing !== null || !isFull)('repositories through a pooler', () => {
  describeRepositories(
    shareOne(async () => {
      const { url, drop } = await createMigratedPostgresDatabase();
      await setUpRole(url);
      const pgbouncer = await startPgbouncer(url);
      return {
        config: { databaseUrl: pgbouncer.urlOf(url), dataDir: '', isPooled: true },
        async remove() {
          await pgbouncer.stop();
          await drop();
        },
      };
    }, true),
  );
});
