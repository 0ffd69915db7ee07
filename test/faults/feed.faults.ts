import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CompanyCaller, parseExactJson } from '#core';
import { aCall } from '../support/call.ts';
import {
  createMigratedPostgresDatabase,
  type FreshDatabase,
  whyNoPostgres,
  withClient,
} from '../support/databases.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { type Consent, createPair, grantAgain } from './support/consents.ts';
import { rounds } from './support/rounds.ts';

const whyNot = await whyNoPostgres();
if (whyNot !== null) console.error(`SKIPPED: readers of the feed: ${whyNot}`);

const writers = 9;
/** Each service has four connections for the operator, so its three writers and a reader never wait for one. */
const writersOfService = 3;
const readers = 4;
const turnsOfWriter = rounds(1) * 40;
const pageSize = 1_000;

const aMetric = ({ companyId }: Consent, raw_value: number) => ({
  type: 'metric',
  company_id: companyId,
  key: 'turns',
  period: '2026-10-31',
  source: { system: 'QuickBooks', method: 'api', last_synced: '2026-11-01T04:00:00Z' },
  raw_value,
});

const lateCommits = `
  create function commit_late() returns trigger language plpgsql as $$ begin
    if random() < 0.05 then perform pg_sleep(random() * 0.02); end if;
    return null;
  end $$;
  create constraint trigger late after insert on access_event
    deferrable initially deferred for each row execute function commit_late()`;

describe.skipIf(whyNot !== null)(
  'while many writers change access requests, and some of their commits are late',
  () => {
    let database: FreshDatabase;
    let services: OperatorSide[];

    beforeAll(async () => {
      database = await createMigratedPostgresDatabase();
      await query(lateCommits);
      const open = () => openOperatorSide({ DATABASE_URL: database.url });
      services = await Promise.all(
        Array.from({ length: Math.ceil(writers / writersOfService) }, open),
      );
    });
    afterAll(async () => {
      await Promise.all((services ?? []).map((service) => service.close()));
      await database?.drop();
    });

    // biome-ignore lint/suspicious/noExplicitAny: rows as they come
    const query = (text: string): Promise<any[]> =>
      withClient(database.url, async (client) => (await client.query(text)).rows);
    const serviceOf = (index: number) => services[index % services.length] as OperatorSide;

    test('each reader of the feed gets each event once, in the same order as all other readers', async () => {
      const before = (await listAll()).length;
      const seen = await writeAndRead();
      const all = await listAll();
      expect(all.length - before).toBeGreaterThanOrEqual(writers * turnsOfWriter * 4);
      for (const ids of seen) expect(ids).toEqual(all);
      console.log(`${all.length} events, seen by ${readers} readers in one order`);
    });

    async function writeAndRead(): Promise<string[][]> {
      // Imports can't run at the same time, so the pairs are created one by one.
      const pairs: Consent[] = [];
      for (let index = 0; index < writers; index += 1)
        pairs.push(await createPair(serviceOf(index)));
      let isWriting = true;
      const writing = Promise.all(
        pairs.map((pair, index) => write(serviceOf(index), pair)),
      ).finally(() => {
        isWriting = false;
      });
      const reading = Array.from({ length: readers }, (_, index) =>
        read(serviceOf(index), () => isWriting),
      );
      const [seen] = await Promise.all([Promise.all(reading), writing]);
      return seen;
    }

    async function write(side: OperatorSide, pair: Consent): Promise<void> {
      const self = await admit(side, pair);
      for (let turn = 0; turn < turnsOfWriter; turn += 1) {
        await side.operator.revokeAccessRequest({ id: pair.requestId });
        await grantAgain(side, pair);
        await push(side, self, aMetric(pair, turn));
      }
    }

    async function admit(side: OperatorSide, { companyId }: Consent): Promise<CompanyCaller> {
      const { secret } = await side.operator.createCompanyKey({
        companyId,
        scopes: ['data:write'],
      });
      const admission = await side.companies.admitCompany(secret, 1, aCall);
      if ('refusal' in admission) throw admission.refusal;
      return admission.caller;
    }

    const push = ({ companies }: OperatorSide, self: CompanyCaller, record: object) =>
      companies.pushRecords(self, {
        records: parseExactJson(JSON.stringify([record])) as unknown[],
      });

    /** Reads until the writers have finished and the feed has no further events. */
    async function read({ operator }: OperatorSide, isWriting: () => boolean): Promise<string[]> {
      const ids: string[] = [];
      for (;;) {
        const mayBeLast = !isWriting();
        const page = await operator.listAccessEvents({
          after: ids.at(-1) ?? null,
          limit: pageSize,
        });
        ids.push(...page.events.map(({ id }) => id));
        if (page.events.length === 0 && mayBeLast) return ids;
        if (page.events.length < pageSize) await wait(5);
      }
    }

    async function listAll(): Promise<string[]> {
      // Each call assigns positions to only some of the new events, so it is repeated.
      for (let last = ''; ; ) {
        const [row] = await query('select number_access_events()::text as last');
        if (row?.last === last) break;
        last = row?.last;
      }
      const rows = await query('select id from access_event order by position');
      return rows.map(({ id }) => String(id));
    }
  },
);
