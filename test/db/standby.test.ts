// @module-tag full
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '#db';
import { addPair, anAccessRecord, anAccessRequest, freshId } from '../contracts/builders.ts';
import { withClient } from '../support/databases.ts';
import { type OwnPostgres, postgresPrograms, startOwnPostgres } from '../support/own-postgres.ts';
import { type Pgbouncer, setUpRole, startPgbouncer, whyNoPgbouncer } from '../support/pgbouncer.ts';

if (postgresPrograms === null) {
  console.error('SKIPPED: a commit without its standby: no PostgreSQL is installed here');
}

if (whyNoPgbouncer !== null) console.error(`SKIPPED: the same through a pooler: ${whyNoPgbouncer}`);

describe.each([
  { way: '', isPooled: false, missing: postgresPrograms === null },
  {
    way: ' behind a pooler',
    isPooled: true,
    missing: !postgresPrograms || whyNoPgbouncer !== null,
  },
])('a commit that no standby confirms$way', ({ isPooled, missing }) => {
  describe.skipIf(missing)('', () => describeCommits(isPooled));
});

function describeCommits(isPooled: boolean): void {
  let server: OwnPostgres;
  let pgbouncer: Pgbouncer | undefined;
  let database: Database;

  const digest = '00'.repeat(32);
  const question = { keyId: 'key_1', companyId: 'co_1' };

  const onServer = (text: string) =>
    withClient(server.url, async (client) => {
      await client.query('set synchronous_commit = local');
      return (await client.query(text)).rows;
    });
  const requireStandby = async (names: string) => {
    await onServer(`alter system set synchronous_standby_names = '${names}'`);
    await onServer('select pg_reload_conf()');
    // The server applies its new settings only after a delay.
    await vi.waitFor(async () => expect(await commitWaits()).toBe(names !== ''), 20_000);
  };

  const commitWaits = () =>
    withClient(server.url, async (client) => {
      const { rows } = await client.query('select pg_backend_pid() as pid');
      const pid = Number(rows[0]?.pid);
      let isCommitted = false;
      const committing = client
        .query(`select pg_logical_emit_message(true, '', '')`)
        .finally(() => {
          isCommitted = true;
        });
      let ended: unknown[] = [];
      while (!isCommitted && ended.length === 0) {
        ended = await onServer(
          `select pg_cancel_backend(pid) from pg_stat_activity
            where pid = ${pid} and wait_event = 'SyncRep'`,
        );
      }
      await committing;
      return ended.length > 0;
    });

  async function giveUpWaiting(by: 'pg_cancel_backend' | 'pg_terminate_backend'): Promise<void> {
    await expect
      .poll(() =>
        onServer(
          `select ${by}(pid) from pg_stat_activity where wait_event = 'SyncRep' and pid <> pg_backend_pid()`,
        ),
      )
      .not.toEqual([]);
  }

  beforeAll(async () => {
    server = await startOwnPostgres();
    database = await openDatabase({ databaseUrl: server.url, dataDir: '', role: 'service' });
    await database.migrate();
    if (!isPooled) return;
    await database.close();
    await setUpRole(server.url);
    pgbouncer = await startPgbouncer(server.url);
    const databaseUrl = pgbouncer.urlOf(server.url);
    database = await openDatabase({ databaseUrl, isPooled, dataDir: '', role: 'service' });
  });
  afterAll(async () => {
    await database?.close();
    await pgbouncer?.stop();
    await server?.stop();
  });

  describe.each(['pg_cancel_backend', 'pg_terminate_backend'] as const)(
    'if %s ends the commit’s wait',
    (by) => {
      beforeAll(() => requireStandby('nobody'));
      afterAll(() => requireStandby(''));

      test('makes a read fail', async () => {
        const committing = database.repositories.accessRecords.record(anAccessRecord());
        const refused = expect(committing).rejects.toMatchObject({ code: 'service_unavailable' });
        await giveUpWaiting(by);
        await refused;
      });

      test.each([
        ['names no company', null],
        ['names a company', 'co_1'],
      ])('makes the authentication of a caller fail if the query %s', async (_what, companyId) => {
        const asking = database.repositories.accessFacts.authenticate({
          digest,
          companyId,
          now: new Date(),
        });
        const refused = expect(asking).rejects.toMatchObject({ code: 'service_unavailable' });
        await giveUpWaiting(by);
        await refused;
      });

      test.each([
        [
          'the key of a company',
          () => database.repositories.companyKeys.authenticate({ digest, now: new Date() }),
        ],
        ['a session', () => database.repositories.deskSessions.authenticate(digest)],
        ['the access facts', () => database.repositories.accessFacts.read(question)],
      ])('makes the read of %s fail', async (_what, ask) => {
        const refused = expect(ask()).rejects.toMatchObject({ code: 'service_unavailable' });
        await giveUpWaiting(by);
        await refused;
      });

      test('makes a ping return false', async () => {
        const answer = database.ping(20_000);
        await giveUpWaiting(by);
        expect(await answer).toBe(false);
      });

      test('makes a transaction fail', async () => {
        await requireStandby('');
        const request = anAccessRequest(await addPair(database.repositories));
        await requireStandby('nobody');
        const adding = database.repositories.accessRequests.transact(null, (transaction) =>
          transaction.add(request),
        );
        const refused = expect(adding).rejects.toMatchObject({ code: 'service_unavailable' });
        await giveUpWaiting(by);
        await refused;
      });
    },
  );

  test('doesn’t delay the access records of refused reads, which are stored once', async () => {
    await requireStandby('nobody');
    const refusal = anAccessRecord({ grantId: null, outcome: 'access_required' });
    const { accessRecords } = database.repositories;
    accessRecords.recordEventually(refusal);
    accessRecords.recordEventually({ ...refusal, id: freshId('rec') });
    await expect
      .poll(() => onServer(`select id, count from access_record where id = '${refusal.id}'`))
      .toEqual([{ id: refusal.id, count: 2 }]);
    expect(await onServer(`select from pg_stat_activity where wait_event = 'SyncRep'`)).toEqual([]);
    await requireStandby('');
  });

  test('still delays an allowed read that uses the same connection after a refused read', async () => {
    const { accessRecords } = database.repositories;
    const refusal = anAccessRecord({ grantId: null, outcome: 'access_required' });
    accessRecords.recordEventually(refusal);
    await expect
      .poll(() => onServer(`select from access_record where id = '${refusal.id}'`))
      .toHaveLength(1);
    await requireStandby('nobody');
    const committing = accessRecords.record(anAccessRecord());
    const refused = expect(committing).rejects.toMatchObject({ code: 'service_unavailable' });
    await giveUpWaiting('pg_cancel_backend');
    await refused;
    await requireStandby('');
  });

  test('closes only its own connection', async () => {
    await database.repositories.accessRecords.record(anAccessRecord());
    expect(await database.ping(5_000)).toBe(true);
  });
}
