import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createServiceUseCases, type Ports } from '#core';
import { type Database, openDatabase } from '#db';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { importLines } from '../support/fixtures.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { createRoles, type Roles } from '../support/roles.ts';

const day = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * day);

await describeOnPostgres(
  'events about changed data that are older than the feed',
  (createDatabase) => {
    let url: string;
    let roles: Roles;
    let side: OperatorSide;
    const services: Database[] = [];

    const asOwner = async (text: string, values: unknown[] = []) =>
      (await withClient(url, (client) => client.query(text, values))).rows;

    beforeAll(async () => {
      url = (await createDatabase()).url;
      roles = await createRoles(url);
      side = await openOperatorSide({
        DATABASE_URL: roles.operatorUrl,
        SIGNING_KEY_FILE: inject('signingKeyFile'),
      });
      const { serviceUrl: databaseUrl, backgroundUrl } = roles;
      const open = () => openDatabase({ databaseUrl, backgroundUrl, dataDir: '', role: 'service' });
      services.push(await open(), await open());
    });
    afterAll(async () => {
      for (const service of services) await service.close();
      await side?.close();
      await roles?.drop();
    });

    function forget(process = 0, now = new Date()) {
      const { accessEvents } = (services[process] as Database).backgroundRepositories;
      const ports = { accessEvents, clock: { now: () => now } } as unknown as Ports;
      return createServiceUseCases(ports).deleteOldDataEvents();
    }

    const aCompany = () => side.fixtures.company();

    /** Adds data events with the given ages in days, in feed order, and returns their ids. */
    async function addOld(companyId: string, ages: readonly number[]): Promise<string[]> {
      const ids = ages.map((_, index) => `evt_old${companyId.replace('_', '')}x${index}`);
      await asOwner(
        `insert into access_event (id, type, created_at, company_id, data, scopes)
        select id, 'company_data.updated', created_at, $1, '{"metricKeys": ["arr"], "latestPeriods": {"arr": "2026-10-31"},
          "hasSources": false, "hasAccounts": false, "dataVersion": "1"}', '{metrics:read}'
        from unnest($2::text[], $3::timestamptz[]) as old (id, created_at)`,
        [companyId, ids, ages.map(daysAgo)],
      );
      await side.operator.listAccessEvents({});
      return ids;
    }

    const importMetric = (company_id: string, raw_value: number) =>
      importLines(side.operator, [
        {
          type: 'metric',
          company_id,
          key: 'arr',
          period: '2026-10-31',
          source: { system: 'QuickBooks', method: 'api', last_synced: '2026-11-01T04:00:00Z' },
          raw_value,
        },
      ]);

    const keptOf = async (companyId: string) => {
      const rows = await asOwner(
        'select id from access_event where company_id = $1 order by position',
        [companyId],
      );
      return rows.map(({ id }) => id);
    };
    const feedOf = async (companyId: string, after: string | null = null) => {
      const { events } = await side.operator.listAccessEvents({ companyId, after });
      return events.map(({ id }) => id);
    };

    test('are deleted a day after they left the feed, and the feed loses no event', async () => {
      const { id } = await aCompany();
      const [, , kept, first, second] = await addOld(id, [200, 92, 90.5, 89, 10]);
      const before = await feedOf(id);
      expect(before).toEqual([first, second]);
      await forget();
      expect(await keptOf(id)).toEqual([kept, first, second]);
      await importMetric(id, 1);
      const newest = (await keptOf(id)).at(-1);
      await side.operator.listAccessEvents({});
      expect(await feedOf(id)).toEqual([first, second, newest]);
      expect(await feedOf(id, first)).toEqual([second, newest]);
    });

    test('are deleted completely by two simultaneous processes, even if one transaction can’t delete all of them', async () => {
      const { id } = await aCompany();
      await addOld(
        id,
        Array.from({ length: 2_500 }, () => 120),
      );
      await Promise.all([forget(0), forget(1)]);
      expect(await keptOf(id)).toEqual([]);
    });

    test('are kept until they have been delivered and their deliveries have been deleted', async () => {
      const { id: companyId } = await aCompany();
      const [pending, gone] = await addOld(companyId, [100, 100]);
      const endpointId = `whe_${companyId}`;
      await asOwner(
        `insert into webhook_endpoint (id, company_id, url, types, secret, created_at)
        values ('${endpointId}', $1, 'https://example.com/', '{}', 'whsec_x', now())`,
        [companyId],
      );
      await asOwner(
        `insert into webhook_delivery (endpoint_id, event_id, event_type, state, attempts,
          next_attempt_at, created_at, company_id)
        values ('${endpointId}', $1, 'company_data.updated', 'pending', 0, now(), $2, $3)`,
        [pending, daysAgo(100), companyId],
      );
      await forget();
      expect(await keptOf(companyId)).toEqual([pending]);
      expect(gone).toBeDefined();
      await asOwner(
        `update webhook_delivery set state = 'delivered', next_attempt_at = null where event_id = $1`,
        [pending],
      );
      const { webhookDeliveries } = (services[0] as Database).backgroundRepositories;
      expect(await webhookDeliveries.deleteOld(daysAgo(90), 1_000)).toBe(1);
      await forget();
      expect(await keptOf(companyId)).toEqual([]);
    });

    test('are deleted, but old events of access requests are kept with their receipts', async () => {
      const { fixtures } = side;
      const { key, company } = await fixtures.portfolio();
      const { id } = await fixtures.request(key, company.id, ['metrics:read']);
      await asOwner(`
      alter table access_event disable trigger append_only;
      update access_event set created_at = now() - interval '200 days'
        where access_request_id = '${id}';
      alter table access_event enable always trigger append_only`);
      await side.operator.listAccessEvents({});
      await forget();
      expect(await keptOf(company.id)).toHaveLength(1);
      expect((await side.operator.listReceipts({ id })).items).toHaveLength(1);
    });

    test('are selected by the database’s clock, so a process with a fast clock deletes no newer event', async () => {
      const { id } = await aCompany();
      const ids = await addOld(id, [89, 1]);
      await forget(0, daysAgo(-200));
      expect(await keptOf(id)).toEqual(ids);
      await forget();
      expect(await keptOf(id)).toEqual(ids);
    });

    test.each([
      ['an event about changed data that is still in the feed', `data is not null`],
      ['an event of an access request, however old', 'data is null'],
    ])(
      'are the only events that a role may delete, so no role can delete %s',
      async (_what, condition) => {
        const { key, company } = await side.fixtures.portfolio();
        await side.fixtures.request(key, company.id, ['metrics:read']);
        await addOld(company.id, [89]);
        const statement = `delete from access_event where company_id = '${company.id}' and ${condition} returning id`;
        for (const by of [roles.backgroundUrl, roles.operatorUrl]) {
          const { rows } = await withClient(by, (client) => client.query(statement));
          expect(rows).toEqual([]);
        }
      },
    );
  },
);
