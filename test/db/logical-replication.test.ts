// @module-tag full
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '#db';
import { withClient } from '../support/databases.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { createHttpClient } from '../support/http-client.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { type OwnPostgres, postgresPrograms, startOwnPostgres } from '../support/own-postgres.ts';
import { isFull } from '../support/property-runs.ts';
import { startService } from '../support/service.ts';

const run = promisify(execFile);
const program = (name: string) => join(postgresPrograms ?? '', name);

if (postgresPrograms === null) {
  console.error('SKIPPED: logical replication: no PostgreSQL is installed here');
}

/** Moves all sequences ahead, as docs/backup.md describes, because logical replication doesn't copy sequences. */
const sequences = `
  select format('select setval(%L, %s)', format('%I.%I', schemaname, sequencename), last_value + 1000)
    as statement
  from pg_sequences where last_value is not null and schemaname = current_schema()`;

const isSkipped = postgresPrograms === null || !isFull;

describe.skipIf(isSkipped)('a logical replica', () => {
  let old: OwnPostgres;
  let next: OwnPostgres;
  let side: OperatorSide;

  const query = (server: OwnPostgres, text: string) =>
    withClient(server.url, async (client) => (await client.query(text)).rows);

  beforeAll(async () => {
    [old, next] = await Promise.all([
      startOwnPostgres({
        wal_level: 'logical',
        max_replication_slots: '30',
        max_wal_senders: '30',
      }),
      startOwnPostgres(),
    ]);
    const database = await openDatabase({ databaseUrl: old.url, dataDir: '', role: 'command' });
    await database.migrate();
    await database.close();
    side = await openOperatorSide({ DATABASE_URL: old.url });
  });
  afterAll(async () => {
    await side?.close();
    await next?.stop();
    await old?.stop();
  });

  test('receives existing and new data, and can replace the first server when that server stops', async () => {
    const { key, company } = await side.fixtures.portfolio();
    await importLines(side.operator, sampleData(company.id));
    const { id } = await side.fixtures.request(key, company.id, ['metrics:read']);
    await side.operator.approveAccessRequest({ id });

    const { stdout: schema } = await run(program('pg_dump'), ['--schema-only', old.url]);
    const restored = run(program('psql'), ['--quiet', '-v', 'ON_ERROR_STOP=1', next.url]);
    restored.child.stdin?.end(schema);
    await restored;
    await query(old, 'create publication everything for all tables');
    await query(
      next,
      `create subscription follower connection '${old.url}' publication everything`,
    );
    await expect
      .poll(() => query(next, `select from pg_subscription_rel where srsubstate <> 'r'`))
      .toEqual([]);

    const changed = sampleData(company.id).map((record) =>
      'raw_value' in record ? { ...record, raw_value: 4200.5 } : record,
    );
    await importLines(side.operator, changed);
    const second = await side.fixtures.investor();
    await side.operator.addToPortfolio({ investorId: second.id, companyId: company.id });
    const { key: revoked } = await side.fixtures.key(second);
    const { id: withdrawn } = await side.fixtures.request(revoked, company.id, ['metrics:read']);
    await side.operator.approveAccessRequest({ id: withdrawn });
    await side.operator.revokeAccessRequest({ id: withdrawn });

    const [{ position = '' } = {}] = await query(old, 'select pg_current_wal_lsn() as position');
    const hasAll = `
      select coalesce(bool_and(confirmed_flush_lsn >= '${position}'), false) as is_so
      from pg_replication_slots`;
    await expect.poll(() => query(old, hasAll)).toEqual([{ is_so: true }]);
    const versions = 'select * from company_data_version order by company_id';
    expect(await query(next, versions)).toEqual(await query(old, versions));
    for (const { statement } of await query(old, sequences)) await query(next, String(statement));
    await query(next, 'drop subscription follower');

    const service = await startService({ storage: { databaseUrl: next.url } });
    const client = createHttpClient(service.url);
    const metrics = `/v1/companies/${company.id}/metrics`;
    const read = await client.call('GET', metrics, { key });
    expect(read.status).toBe(200);
    expect(read.body.data.map((metric: { raw_value: number }) => metric.raw_value)).toContain(
      4200.5,
    );
    const refused = await client.call('GET', metrics, { key: revoked });
    expect(refused.body.error.code).toBe('access_revoked');
    await importLines(service.operator, sampleData(company.id));
    const renewed = await client.call('GET', metrics, { key });
    expect(renewed.body.data).not.toEqual(read.body.data);
    await service.operator.revokeAccessRequest({ id });
    expect((await client.call('GET', metrics, { key })).status).toBe(403);
    const events = await client.call('GET', '/v1/events', { key });
    expect(events.body.data.map(({ type }: { type: string }) => type)).toEqual([
      'access_request.created',
      'access_request.approved',
      'access_request.revoked',
    ]);
    client.close();
    await service.close();
  });
});
