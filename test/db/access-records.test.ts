import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccessRecord, SettingsChange } from '#core';
import { type Database, openDatabase } from '#db';
import { anAccessRecord, freshId } from '../contracts/builders.ts';
import { describeOnPostgres, withClient } from '../support/databases.ts';

const parts = (prefix: string) => `select relname from pg_class
  where relname ~ '^access_record_${prefix}' and relkind = 'r' order by relname`;

/** Finds sessions of this database only, because other tests use the same server. */
const waitingHere = `select from pg_locks where not granted
  and database = (select oid from pg_database where datname = current_database())`;

await describeOnPostgres('the table of access records', (createDatabase) => {
  const today = new Date();
  let url: string;
  let database: Database;

  const query = (text: string) => withClient(url, (client) => client.query(text));
  const open = (databaseUrl = url) => openDatabase({ databaseUrl, dataDir: '', role: 'service' });
  const recordOf = (occurredAt: string): AccessRecord =>
    anAccessRecord({
      ...{ id: `rec_${occurredAt}`, occurredAt: new Date(occurredAt), requestId: 'req_1' },
      ...{ keyId: 'key_1', investorId: 'inv_1', companyId: 'co_1' },
    });
  const commit = (occurredAt: string) =>
    database.repositories.accessRecords.record(recordOf(occurredAt));
  const namesOf = async (prefix: string) =>
    (await query(parts(prefix))).rows.map(({ relname }) => relname);

  beforeAll(async () => {
    url = (await createDatabase()).url;
    database = await open();
    await database.createPartitionsAhead(today);
  });
  afterAll(() => database.close());

  describe('if the records are forged', () => {
    beforeAll(async () => {
      await commit(today.toISOString());
      await commit('2019-05-05T00:00:00Z');
    });

    test.each([
      'update access_record set outcome = outcome',
      `update access_record set company_id = 'co_2' where company_id = 'co_1'`,
      'delete from access_record',
      'truncate access_record',
      'set session_replication_role = replica; delete from access_record',
      'set session_replication_role = replica; truncate access_record',
      `insert into access_record select * from access_record on conflict do nothing;
       update access_record set grant_id = null`,
    ])('rejects a change, even by the owner of the table: %s', async (statement) => {
      await expect(query(statement)).rejects.toMatchObject({ code: '42501' });
    });

    test('rejects a record of an allowed read without a grant, and a record of a refused read with a grant', async () => {
      const { accessRecords } = database.repositories;
      const record = recordOf('2019-05-06T00:00:00Z');
      await expect(accessRecords.record({ ...record, grantId: null })).rejects.toMatchObject({
        code: '23514',
      });
      await expect(
        accessRecords.record({ ...record, outcome: 'access_required' }),
      ).rejects.toMatchObject({ code: '23514' });
    });

    test('rejects a record that counts several allowed reads', async () => {
      const forging = withClient(url, (client) =>
        client.query(`
          insert into access_record (id, occurred_at, request_id, protocol, key_id, investor_id,
            scope, resource, grant_id, outcome, count)
          values ('rec_two', '2019-05-06', 'req_two', 'rest', 'key', 'inv', 'metrics:read',
            'metrics', 'ar', 'allowed', 2)`),
      );
      await expect(forging).rejects.toMatchObject({
        code: '23514',
        constraint: 'access_record_counts_refusals',
      });
    });
  });

  test('keeps records of a day without a partition, and moves them once the partition exists', async () => {
    await commit('2031-12-31T23:59:59.999Z');
    await commit('2032-01-01T00:00:00Z');
    await commit('2032-07-01T00:00:00Z');
    await database.createPartitionsAhead(new Date('2031-12-30T00:00:00Z'));
    const names = await namesOf('203');
    expect(names).toHaveLength(16);
    expect([names[0], names[2], names[14], names[15]]).toEqual([
      'access_record_2031_12_30',
      'access_record_2032_01_01',
      'access_record_2032_01_13',
      'access_record_2032_07_01',
    ]);
    const { rows } = await query(
      `select tableoid::regclass::text as part from access_record
        where id like 'rec_203%' order by id`,
    );
    expect(rows.map(({ part }) => part)).toEqual([
      'access_record_2031_12_31',
      'access_record_2032_01_01',
      'access_record_2032_07_01',
    ]);
  });

  test('moves a day of records out of the default partition without a copy, and keeps the access rights', async () => {
    const role = `day_${Date.now()}`;
    await query(`create role ${role} login`);
    await query(`grant select, insert on all tables in schema public to ${role}`);
    await commit('2036-02-10T00:00:00Z');
    await commit('2036-02-10T23:59:59.999Z');
    const before = await query(`select oid from pg_class where relname = 'access_record_other'`);
    await database.createPartitionsAhead(new Date('2036-02-10T12:00:00Z'));
    const after = await query(
      `select oid from pg_class where relname = 'access_record_2036_02_10'`,
    );
    expect(after.rows).toEqual(before.rows);
    const limited = new URL(url);
    limited.username = role;
    const other = await open(limited.href);
    await other.createPartitionsAhead(new Date('2036-02-10T12:00:00Z'));
    await other.close();
    await query(`drop owned by ${role}`);
    await query(`drop role ${role}`);
  });

  test('accepts records while another session’s open read delays the creation of a partition', async () => {
    await withClient(url, async (reader) => {
      await reader.query('begin');
      await reader.query('select count(*) from access_record');
      const making = database.createPartitionsAhead(new Date('2071-01-01T00:00:00Z'));
      for (let second = 10; second < 20; second += 1) await commit(`2019-07-01T00:00:${second}Z`);
      await reader.query('commit');
      await making;
    });
    expect(await namesOf('2071')).toHaveLength(15);
  });

  describe('a day of access records', () => {
    const entry = (type = 'access_log.dropped', companyId: string | null = null) =>
      ({
        ...{ id: freshId('chg'), type, createdAt: new Date(), companyId, investorId: null },
        ...{ actor: { type: 'operator', id: null, name: null }, changes: {} },
        subject: { type: 'access_log', id: 'a day', name: 'a day' },
      }) as SettingsChange;
    const idsOf = async (day: string) =>
      (await query(`select id from access_record where id like 'rec_${day}%'`)).rows;

    const countAll = async () => {
      while (await database.repositories.accessStatistics.countNextDay(new Date()));
    };

    beforeAll(async () => {
      await database.createPartitionsAhead(new Date('2018-01-01T00:00:00Z'));
      await countAll();
    });

    test('keeps a record that arrives during its deletion, and blocks no records of other days', async () => {
      const seen: number[] = [];
      const late: Promise<void>[] = [];
      let isDropped = false;
      await withClient(url, async (blocker) => {
        await blocker.query('begin');
        await blocker.query('lock table settings_change in share mode');
        const dropping = database.repositories.accessRecords
          .dropDay('2018-01-03', ({ records }) => {
            seen.push(records);
            late.push(commit(`2018-01-03T00:00:${10 + late.length}Z`));
            return entry();
          })
          .then(() => true)
          .catch(() => false);
        const waiting = `${waitingHere} and relation = 'access_record_2018_01_03'::regclass`;
        await expect.poll(() => query(waiting), { interval: 20 }).toMatchObject({ rows: [{}] });
        await commit('2018-01-04T00:00:00Z');
        await blocker.query('rollback');
        isDropped = await dropping;
      });
      await Promise.all(late);
      const dropped = isDropped ? (seen.at(-1) ?? 0) : 0;
      expect((await idsOf('2018-01-03')).length + dropped).toBe(late.length);
      expect(await idsOf('2018-01-04')).toHaveLength(1);
    });

    test('can be deleted once an autovacuum of its partition has ended, and blocks no records meanwhile', async () => {
      await withClient(url, async (vacuum) => {
        await vacuum.query('begin');
        await vacuum.query('lock table access_record_2018_01_05 in share update exclusive mode');
        const dropped = database.repositories.accessRecords.dropDay('2018-01-05', () => entry());
        // After deadlock_timeout, one second by default, PostgreSQL cancels an autovacuum that blocks a session.
        const waiting = `${waitingHere}
          and relation = 'access_record_2018_01_05'::regclass
          and waitstart < clock_timestamp() - interval '1100 milliseconds'`;
        await expect.poll(() => query(waiting), { timeout: 9_000 }).toMatchObject({ rows: [{}] });
        await commit('2018-01-06T00:00:00Z');
        await vacuum.query('rollback');
        await dropped;
      });
      expect(await namesOf('2018_01_05')).toEqual([]);
    });

    test('can’t be deleted or exported before its reads are counted', async () => {
      const { accessRecords } = database.repositories;
      const uncounted = { code: 'access_log_day_changed' };
      const drop = (day: string) => accessRecords.dropDay(day, () => entry());
      await database.createPartitionsAhead(new Date('2018-02-01T00:00:00Z'));
      for (const day of ['2018-02-01', today.toISOString().slice(0, 10)]) {
        await expect(drop(day)).rejects.toMatchObject(uncounted);
        await expect(Array.fromAsync(accessRecords.readDay(day))).rejects.toMatchObject(uncounted);
      }
      await countAll();
      await drop('2018-02-01');
      expect(await namesOf('2018_02_01')).toEqual([]);
    });

    test('can’t be deleted if it has no partition', async () => {
      const { accessRecords } = database.repositories;
      await expect(accessRecords.dropDay('2017-01-01', () => entry())).rejects.toMatchObject({
        code: 'access_log_day_not_found',
      });
    });

    test('can be deleted only with a log entry without an owner, while other entries need an owner', async () => {
      const { accessRecords } = database.repositories;
      for (const [type, owner] of [
        ['contact.added', null],
        ['access_log.dropped', 'co_1'],
      ] as const) {
        await expect(
          accessRecords.dropDay('2018-01-08', () => entry(type, owner)),
        ).rejects.toMatchObject({ code: '23514' });
      }
    });
  });

  test('has each partition only once if several processes create partitions at the same time', async () => {
    const others = await Promise.all(Array.from({ length: 5 }, () => open()));
    const now = new Date('2041-06-15T00:00:00Z');
    await Promise.all(others.map((other) => other.createPartitionsAhead(now)));
    expect(await namesOf('2041')).toHaveLength(15);
    await Promise.all(others.map((other) => other.close()));
  });

  test('accepts records while partitions are created', async () => {
    const commits = Array.from({ length: 40 }, (_, index) =>
      commit(`2051-01-0${1 + (index % 9)}T00:00:${String(index).padStart(2, '0')}Z`),
    );
    await Promise.all([
      ...commits,
      ...[1, 4, 7].map((number) =>
        database.createPartitionsAhead(new Date(Date.UTC(2051, 0, number))),
      ),
    ]);
    const { rows } = await query(`select id from access_record where id like 'rec_2051%'`);
    expect(rows).toHaveLength(40);
  });

  describe('records of refused reads', () => {
    const refusalOf = (id: string, overrides: Partial<AccessRecord> = {}): AccessRecord => ({
      ...recordOf('2061-01-01T00:00:00Z'),
      id,
      grantId: null,
      outcome: 'access_required',
      ...overrides,
    });
    /** Blocks all sessions that write such a record until the work is done. */
    async function whileBlocked(condition: string, work: () => Promise<void>): Promise<void> {
      await query(`
        create function block() returns trigger language plpgsql as $$
          begin perform pg_advisory_xact_lock(26); return new; end
        $$;
        create trigger block before insert on access_record
          for each row when (${condition}) execute function block()`);
      await withClient(url, async (blocker) => {
        await blocker.query('select pg_advisory_lock(26)');
        await work();
      });
      await query('drop function block() cascade');
    }
    const countOf = async (pattern: string) =>
      (
        await query(`select coalesce(sum(count), 0)::int as refusals, count(*)::int as records
        from access_record where id like '${pattern}'`)
      ).rows[0];

    test('don’t block reads if writing the records fails', async () => {
      await whileBlocked(`new.outcome <> 'allowed'`, async () => {
        database.repositories.accessRecords.recordEventually(refusalOf('rec_blocked'));
        await expect.poll(() => query(waitingHere)).toMatchObject({ rows: [{}] });
        for (let second = 10; second < 20; second += 1) await commit(`2062-07-01T00:00:${second}Z`);
      });
      await expect.poll(() => countOf('rec_blocked')).toEqual({ refusals: 1, records: 1 });
    });

    test('are stored once if a committed write is repeated because its answer was lost', async () => {
      const dropped: number[] = [];
      const impatient = await openDatabase({
        databaseUrl: url,
        dataDir: '',
        role: 'service',
        limits: { statementMilliseconds: 1_000 },
        onRefusalsDropped: (count) => dropped.push(count),
      });
      const refusal = refusalOf('rec_lost_answer');
      database.repositories.accessRecords.recordEventually(refusal);
      await expect.poll(() => countOf(refusal.id)).toEqual({ refusals: 1, records: 1 });
      await whileBlocked(`new.outcome <> 'allowed'`, async () => {
        impatient.repositories.accessRecords.recordEventually(refusal);
        await impatient.close();
      });
      expect(dropped).toEqual([]);
      expect(await countOf(refusal.id)).toEqual({ refusals: 1, records: 1 });
    });

    test('are written even while records of allowed reads can’t be written', async () => {
      let committing: Promise<unknown> = Promise.resolve();
      await whileBlocked(`new.outcome = 'allowed'`, async () => {
        committing = commit('2063-01-01T00:00:00Z').catch(() => undefined);
        database.repositories.accessRecords.recordEventually(refusalOf('rec_free'));
        await expect.poll(() => countOf('rec_free')).toEqual({ refusals: 1, records: 1 });
      });
      await committing;
    });
  });

  test('contains the refusals that were queued when the database was closed', async () => {
    const closing = await open();
    const record = recordOf('2061-01-01T00:00:00Z');
    closing.repositories.accessRecords.recordEventually({
      ...record,
      grantId: null,
      outcome: 'access_required',
    });
    await closing.close();
    const { rows } = await query(`select id from access_record where id = '${record.id}'`);
    expect(rows).toHaveLength(1);
  });
});
