import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { isRequestEvent, type RequestFeedEvent } from '#core';
import { postgres } from '../support/backends.ts';
import {
  createMigratedPostgresDatabase,
  type FreshDatabase,
  withClient,
} from '../support/databases.ts';
import { expectOk } from '../support/expectations.ts';
import { createHttpClient } from '../support/http-client.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { allEvents } from '../support/operator-events.ts';
import { killLeftovers, startServiceProcess } from '../support/processes.ts';
import { isFull } from '../support/property-runs.ts';

afterAll(killLeftovers);

const day = 86_400_000;

/** Adds grants that ended a minute ago and were never swept. */
async function addEndedGrants(url: string, count: number): Promise<string> {
  const mark = randomBytes(4).toString('hex');
  await withClient(url, async (client) => {
    await client.query(`insert into company values ('co_${mark}', 'Harbor', 'live', now())`);
    await client.query(
      `insert into investor select 'inv_${mark}_' || number, 'Northwind', 'live', now()
        from generate_series(1, $1::int) as number`,
      [count],
    );
    await client.query(
      `insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
          previous_scopes, pending_scopes, status, created_at, decided_at, expires_at, deadline_at, last_event_type)
        select 'ar_${mark}_' || number, 'inv_${mark}_' || number, 'co_${mark}', '{metrics:read}',
          '{metrics:read}', '{}', '{}', 'approved', now() - interval '1 day', now() - interval '1 day',
          now() - interval '1 minute', now() - interval '1 minute', 'access_request.approved'
        from generate_series(1, $1::int) as number`,
      [count],
    );
  });
  return `co_${mark}`;
}

describe.skipIf(postgres.isUnreachable)(`the clock of two processes (${postgres.name})`, () => {
  let database: FreshDatabase;
  let sides: readonly [OperatorSide, OperatorSide];

  beforeAll(async () => {
    database = await createMigratedPostgresDatabase();
    const open = () => openOperatorSide({ DATABASE_URL: database.url });
    sides = [await open(), await open()];
  });
  afterEach(() => vi.useRealTimers());
  afterAll(async () => {
    for (const side of sides) await side.close();
    await database.drop();
  });

  async function eventsOf(companyId: string, type: string): Promise<RequestFeedEvent[]> {
    const events = await allEvents(sides[0].operator);
    return events
      .filter(isRequestEvent)
      .filter((event) => event.accessRequest.companyId === companyId && event.type.endsWith(type));
  }

  it.runIf(isFull)(
    'grants that ended during a downtime get one event each, while both processes serve callers',
    async () => {
      const count = 1_000;
      const companyId = await addEndedGrants(database.url, count);
      const { key } = await sides[0].fixtures.portfolio();
      const environment = { DATABASE_URL: database.url, RATE_LIMIT_POINTS: '1000000' };
      const services = await Promise.all([
        startServiceProcess(environment),
        startServiceProcess(environment),
      ]);
      const clients = services.map(({ url }) => createHttpClient(url));
      const [first, second] = services;
      let isFirstRunning = true;
      let swept = 0;
      while (swept < count) {
        for (const [index, client] of clients.entries()) {
          if (index === 0 && !isFirstRunning) continue;
          expectOk(await client.call('GET', '/v1/companies', { key }));
        }
        swept = (await eventsOf(companyId, '.expired')).length;
        // The first process stops in the middle, and the second one continues.
        if (swept > 0 && isFirstRunning) {
          expect(await first.stop()).toEqual({ code: 0, signal: null });
          isFirstRunning = false;
        }
      }
      for (const client of clients) client.close();
      await second.stop();
      const events = await eventsOf(companyId, '.expired');
      const ids = new Set(events.map(({ accessRequest }) => accessRequest.id));
      expect([events.length, ids.size]).toEqual([count, count]);
      expect(new Set(events.map(({ actor }) => actor.type))).toEqual(new Set(['clock']));
      // The grants were written by hand, so the consistency check reports them.
      const isOfWatch = /^.*does not agree with its events.*$/gm;
      for (const service of services)
        expect(service.output().replaceAll(isOfWatch, '')).not.toMatch(/"level":(50|60)/);
    },
  );

  it('the coming end of a grant is announced once, however often both processes check', async () => {
    const made = await sides[0].fixtures.portfolio();
    await sides[0].fixtures.grant(made, ['metrics:read'], new Date(Date.now() + 30 * day));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 24 * day });
    for (let turn = 0; turn < 5; turn += 1) {
      await Promise.all(sides.map(({ background }) => background.announceExpiringGrants()));
    }
    expect(await eventsOf(made.company.id, '.expiring')).toHaveLength(1);
  });

  it('a grant whose row can’t be changed doesn’t delay the expiry of other grants', async () => {
    const companyId = await addEndedGrants(database.url, 120);
    const poisoned = companyId.replace('co_', 'ar_').concat('_7');
    await withClient(database.url, async (client) => {
      await client.query(`
        create function refuse() returns trigger language plpgsql as
          $$ begin raise exception 'poisoned'; end $$`);
      await client.query(`
        create trigger refuse before update on access_request
          for each row when (old.id = '${poisoned}') execute function refuse()`);
      const { background } = sides[0];
      await expect(background.expireAccessRequests()).rejects.toThrow(
        'passed over 1 access requests',
      );
      expect(await eventsOf(companyId, '.expired')).toHaveLength(119);
      await client.query(`drop trigger refuse on access_request`);
      expect(await background.expireAccessRequests()).toBe(1);
    });
  });

  it('a sweep skips a locked grant without waiting, and the next sweep expires it', async () => {
    const companyId = await addEndedGrants(database.url, 3);
    const [{ background }] = sides;
    await withClient(database.url, async (client) => {
      await client.query('begin');
      await client.query(`select from access_request where company_id = $1 limit 1 for update`, [
        companyId,
      ]);
      expect(await background.expireAccessRequests()).toBe(2);
      await client.query('rollback');
      expect(await background.expireAccessRequests()).toBe(1);
    });
    expect(await eventsOf(companyId, '.expired')).toHaveLength(3);
  });
});
