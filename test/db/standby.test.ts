import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccessRecord } from '#core';
import { type Database, openDatabase } from '#db';
import { addPair, anAccessRequest, at, freshId } from '../contracts/builders.ts';
import { withClient } from '../support/databases.ts';
import { type OwnPostgres, postgresPrograms, startOwnPostgres } from '../support/own-postgres.ts';

if (postgresPrograms === null) {
  console.error('\nSKIPPED: a commit without its standby: no PostgreSQL is installed here\n');
}

describe.skipIf(postgresPrograms === null)('a commit that no standby confirms', () => {
  let server: OwnPostgres;
  let database: Database;

  const aRecord = (overrides: Partial<AccessRecord> = {}): AccessRecord => ({
    id: freshId('rec'),
    occurredAt: at(),
    requestId: freshId('req'),
    protocol: 'rest',
    keyId: 'key_1',
    investorId: 'inv_1',
    companyId: 'co_1',
    scope: 'metrics:read',
    resource: 'metrics',
    metricKey: null,
    grantId: 'ar_1',
    outcome: 'allowed',
    count: 1,
    ...overrides,
  });

  const onServer = (text: string) =>
    withClient(server.url, async (client) => {
      await client.query('set synchronous_commit = local');
      return (await client.query(text)).rows;
    });
  const requireStandby = async (names: string) => {
    await onServer(`alter system set synchronous_standby_names = '${names}'`);
    await onServer('select pg_reload_conf()');
  };

  /** Ends the waiting for the standby, of whoever waits next. */
  async function giveUpWaiting(by: 'pg_cancel_backend' | 'pg_terminate_backend'): Promise<void> {
    await expect
      .poll(
        () =>
          onServer(
            `select ${by}(pid) from pg_stat_activity where wait_event = 'SyncRep' and pid <> pg_backend_pid()`,
          ),
        { timeout: 20_000 },
      )
      .not.toEqual([]);
  }

  beforeAll(async () => {
    server = await startOwnPostgres();
    database = await openDatabase({ databaseUrl: server.url, dataDir: '', role: 'service' });
    await database.migrate();
  }, 120_000);
  afterAll(async () => {
    await database?.close();
    await server?.stop();
  });

  describe.each(['pg_cancel_backend', 'pg_terminate_backend'] as const)('because of %s', (by) => {
    beforeAll(() => requireStandby('nobody'));
    afterAll(() => requireStandby(''));

    test('keeps the data of a read from leaving', async () => {
      const committing = database.repositories.accessRecords.commit(aRecord());
      const refused = expect(committing).rejects.toMatchObject({ code: 'service_unavailable' });
      await giveUpWaiting(by);
      await refused;
    });

    test('is no success of a transaction', async () => {
      await requireStandby('');
      const request = anAccessRequest(await addPair(database.repositories));
      await requireStandby('nobody');
      const adding = database.repositories.accessRequests.transact((transaction) =>
        transaction.add(request),
      );
      const refused = expect(adding).rejects.toMatchObject({ code: 'service_unavailable' });
      await giveUpWaiting(by);
      await refused;
    });

    test('is tried again for the record of a refusal, which is there once in the end', async () => {
      const refusal = aRecord({ grantId: null, outcome: 'access_required', count: 1 });
      const { accessRecords } = database.repositories;
      accessRecords.note(refusal);
      accessRecords.note({ ...refusal, id: freshId('rec') });
      await giveUpWaiting(by);
      await requireStandby('');
      const there = () =>
        onServer(`select id, count from access_record where id = '${refusal.id}'`);
      await expect.poll(there, { timeout: 10_000 }).toEqual([{ id: refusal.id, count: 2 }]);
      await database.repositories.accessRecords.commit(aRecord());
      expect(await there()).toHaveLength(1);
    });
  });

  test('costs its connection, and no other', async () => {
    await database.repositories.accessRecords.commit(aRecord());
    expect(await database.ping(5_000)).toBe(true);
  });
});
