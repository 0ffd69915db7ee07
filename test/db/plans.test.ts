// @module-tag full
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { PortfolioPart } from '#core';
import { genericPlans, preparedStatements } from '../../db/connections/prepared-statements.ts';
import type { Statement } from '../../db/connections/store.ts';
import { statements as events } from '../../db/statements/access-events.ts';
import { statements as consent } from '../../db/statements/access-facts-reader.ts';
import { statements as records } from '../../db/statements/access-records/lists.ts';
import { windowsOf } from '../../db/statements/access-records/windows.ts';
import { statements as requests } from '../../db/statements/access-requests.ts';
import { statements as statistics } from '../../db/statements/access-statistics.ts';
import { statements as data } from '../../db/statements/company-data.ts';
import { statements as sessions } from '../../db/statements/desk-sessions.ts';
import { changesOf } from '../../db/statements/imports/apply-values.ts';
import { statements as pages } from '../../db/statements/portfolio-pages.ts';
import { statements as receipts } from '../../db/statements/proof/receipts.ts';
import { aMetric, firstPage } from '../contracts/builders.ts';
import { asOfNow } from '../support/call.ts';
import { describeOnPostgres, type FreshDatabase } from '../support/databases.ts';
import { isFull } from '../support/property-runs.ts';
import { createRoles } from '../support/roles.ts';
import { connectTo } from './connect.ts';

/** Counts the rows that statements read with the settings of the service. */
async function openCounter({ url }: FreshDatabase, server?: Readonly<Record<string, string>>) {
  const { orm, pool, close } = connectTo(url, server && { server });
  const roles = await createRoles(url);
  const kysely = orm.em.getKysely();
  const { run } = preparedStatements(pool, kysely);

  /** The background role's policies must not prevent the use of an index. */
  async function asBackground<T>(work: () => Promise<T>): Promise<T> {
    await pool.query({ text: `set role ${roles.names.background}`, values: [] });
    const done = await work();
    await pool.query({ text: 'reset role', values: [] });
    return done;
  }

  async function countRead(table: string): Promise<number> {
    const { rows } = await pool.query({
      text: `select pg_stat_get_xact_tuples_returned($1::regclass)
        + (select sum(pg_stat_get_xact_tuples_returned(indexrelid))
          from pg_index where indrelid = $1::regclass) as count`,
      values: [table],
    });
    return Number((rows[0] as { count: string }).count);
  }

  /** The partitions of the access log in the statement's plan. */
  async function partsPlanned(statement: Statement<unknown>): Promise<string[]> {
    const { sql: text, parameters } = statement.compile(kysely);
    const { rows } = await asBackground(() =>
      pool.query({ text: `explain (format json) ${text}`, values: [...parameters] }),
    );
    const names = JSON.stringify(rows).matchAll(/"Relation Name":"(access_record_[^"]*)"/g);
    return [...new Set([...names].map(([, name = '']) => name))].toSorted();
  }

  async function rowsRead(table: string, statement: Statement<unknown>): Promise<number> {
    await pool.query({ text: 'begin', values: [] });
    const before = await countRead(table);
    await asBackground(() => run(statement));
    const after = await countRead(table);
    await pool.query({ text: 'commit', values: [] });
    return after - before;
  }

  return {
    kysely,
    rowsRead,
    partsPlanned,
    async close() {
      await close();
      await roles.drop();
    },
  };
}

type Counter = Awaited<ReturnType<typeof openCounter>>;

function useCounter(
  createDatabase: () => Promise<FreshDatabase>,
  fill: (kysely: Counter['kysely']) => Promise<unknown>,
  server?: Readonly<Record<string, string>>,
): Counter {
  const counter = {} as Counter;
  beforeAll(async () => {
    Object.assign(counter, await openCounter(await createDatabase(), server));
    await fill(counter.kysely);
  });
  afterAll(() => counter.close());
  return counter;
}

await describeOnPostgres('years of daily values', (createDatabase) => {
  const metrics = isFull ? 100 : 20;
  const days = isFull ? 3650 : 1500;
  const metric = { ...asOfNow('co_1'), key: 'metric_5' };
  const periods = { from: null, to: null };
  const counter = useCounter(
    createDatabase,
    async (kysely) => {
      await sql`insert into company values ('co_1', 'Harbor', 'live', now())`.execute(kysely);
      await sql`
      insert into metric_series (company_id, key, label, category)
      select 'co_1', 'metric_' || number, 'Metric', 'other'
      from generate_series(1, ${metrics}::int) as number`.execute(kysely);
      await sql`
      insert into metric_point
      select id, date '2017-01-01' + day, 'USD', 1250000.5, '$1,250,000.50', now(), 'high',
        'mercury', 'api', now(), true
      from metric_series, generate_series(0, ${days - 1}::int) as day`.execute(kysely);
      // Gives each value an earlier revision, as if it had been corrected once.
      await sql`insert into metric_revision select * from metric_point`.execute(kysely);
    },
    genericPlans,
  );

  // Before `analyze`, the planner has no statistics. The service keeps that plan, so it must be good.
  test.each(['before', 'after'])(
    'are read through the index, %s the tables are analyzed',
    async (when) => {
      if (when === 'after') await sql`analyze`.execute(counter.kysely);
      const pointsRead = (statement: Statement<unknown>) =>
        counter.rowsRead('metric_point', statement);
      expect(await pointsRead(data.latestMetrics(['co_1']))).toBe(metrics);
      expect(await pointsRead(data.metricHistory([{ ...metric, periods }]))).toBe(days);
      expect(
        await counter.rowsRead('metric_series', data.metricHistory([{ ...metric, periods }])),
      ).toBe(1);
      const recent = data.recentValues([{ ...metric, count: 13, periods }]);
      expect(await pointsRead(recent)).toBe(13);
      const early = { from: '2018-01-01', to: '2018-12-31' };
      const recentThen = data.recentValues([{ ...metric, count: 13, periods: early }]);
      expect(await pointsRead(recentThen)).toBe(13);
      const replaced = (statement: Statement<unknown>) =>
        counter.rowsRead('metric_revision', statement);
      expect(await replaced(data.latestMetrics(['co_1']))).toBe(0);
      expect(await replaced(data.metricRevisions([{ ...metric, periods }]))).toBe(days);
      expect(await pointsRead(data.metricRevisions([{ ...metric, periods }]))).toBe(days);
      const day = { from: '2020-03-01', to: '2020-03-01' };
      expect(await replaced(data.metricRevisions([{ ...metric, periods: day }]))).toBe(1);
      const month = { from: '2020-03-01', to: '2020-03-31' };
      expect(await pointsRead(data.metricHistory([{ ...metric, periods: month }]))).toBe(31);
      const entries = data.metricEntries('co_1', 'metric_5');
      expect(await counter.rowsRead('metric_series', entries)).toBe(1);
      // A void looks up each value that it voids.
      const places = ['2020-03-01', '2020-03-02'].map((period) => ({ ...metric, period }));
      expect(await pointsRead(data.metricValues(places))).toBe(2);
      expect(await counter.rowsRead('metric_series', data.metricValues(places))).toBe(2);
      // A push looks up each value that it contains.
      const pushed = ['2020-03-01', '2020-03-02', '2020-03-03'].map((period) => ({
        type: 'metric' as const,
        metric: aMetric({ id: 'co_1' }, { key: 'metric_5', period }),
      }));
      const changed = changesOf('co_1', pushed);
      expect(await pointsRead(changed)).toBe(3);
      // The result also contains the metric's current name, which is one more row.
      expect(await counter.rowsRead('metric_series', changed)).toBe(3 + 1);
    },
  );
});

await describeOnPostgres('portfolios of hundreds of companies', (createDatabase) => {
  const investors = 20;
  const companies = isFull ? 500 : 250;
  const requestsOfPair = isFull ? 5 : 3;
  const counter = useCounter(
    createDatabase,
    async (kysely) => {
      for (const [table, count] of [
        ['investor', investors],
        ['company', companies],
      ] as const) {
        await sql`
        insert into ${sql.table(table)}
        select ${table} || number, 'Somebody', 'live', now()
        from generate_series(1, ${count}::int) as number`.execute(kysely);
      }
      await sql`
      insert into portfolio_membership
      select investor.id, company.id, 'live', now() from investor, company`.execute(kysely);
      await sql`
      insert into api_key (id, investor_id, environment, digest, hint, scopes, created_at)
      select 'key_of_' || id, id, 'live', sha256(id::bytea), 'svc_sk_live_…0000', '{metrics:read}',
        now()
      from investor`.execute(kysely);
      await sql`
      insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
        previous_scopes, pending_scopes, status, created_at, decided_at, deadline_at,
        last_event_type)
      select 'ar_' || row_number() over (), investor_id, company_id, '{metrics:read}', '{}', '{}',
        '{}', 'declined', now() - day * interval '1 day', now(), now(), 'access_request.declined'
      from portfolio_membership, generate_series(1, ${requestsOfPair}::int) as day`.execute(kysely);
    },
    genericPlans,
  );

  const questions = Array.from({ length: 30 }, (_, index) => ({
    investorId: `investor${1 + (index % investors)}`,
    companyId: `company${1 + index * 7}`,
  }));
  const asked = {
    accessFacts: consent.accessFacts(
      questions.map(({ investorId, companyId }) => ({ keyId: `key_of_${investorId}`, companyId })),
    ),
    keysAndAccessFacts: consent.keysAndAccessFacts(
      questions.map(({ investorId, companyId }) => ({
        digest: createHash('sha256').update(investorId).digest('hex'),
        companyId,
        now: new Date(),
      })),
    ),
  };

  describe.each(['before', 'after'])('%s the tables are analyzed', (when) => {
    beforeAll(async () => {
      if (when === 'after') await sql`analyze`.execute(counter.kysely);
    });

    test.each(Object.keys(asked) as (keyof typeof asked)[])(
      'a query for each caller reads at most one row of each table: %s',
      async (name) => {
        for (const table of ['api_key', 'portfolio_membership', 'access_request']) {
          const read = await counter.rowsRead(table, asked[name]);
          // A query for several callers with the same key may read the key only once.
          const isShown = table === 'api_key' && name === 'keysAndAccessFacts';
          expect(read, table).toBeGreaterThanOrEqual(isShown ? 1 : questions.length);
          expect(read, table).toBeLessThanOrEqual(questions.length);
        }
      },
    );
  });
});

await describeOnPostgres('ten thousand access requests of an investor', (createDatabase) => {
  const count = 10_000;
  const limit = 51;
  const counter = useCounter(
    createDatabase,
    async (kysely) => {
      await sql`
      insert into investor select 'inv_' || number, 'Somebody', 'live', now()
      from generate_series(1, 3) as number`.execute(kysely);
      await sql`
      insert into company select 'co_' || number, 'Company', 'live', now()
      from generate_series(1, 20) as number`.execute(kysely);
      await sql`
      insert into portfolio_membership
      select investor.id, company.id, 'live', now() from investor, company`.execute(kysely);
      await sql`
      insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
        previous_scopes, pending_scopes, status, created_at, decided_at, deadline_at,
        last_event_type)
      select 'ar_' || investor.id || number, investor.id, 'co_' || 1 + number % 20,
        '{metrics:read}', '{}', '{}', '{}', case when number % 2 = 0 then 'declined' else 'revoked' end,
        now() - number * interval '1 minute', now(), now(), 'access_request.declined'
      from investor, generate_series(1, ${count}::int) as number`.execute(kysely);
    },
    genericPlans,
  );

  const now = new Date();
  const middle = { instant: new Date(now.getTime() - (count / 2) * 60_000), id: 'ar_' };
  const all = { investorId: 'inv_2', now, limit };

  test.each(['before', 'after'])(
    'are read only up to the size of a page, from any start, %s the table is analyzed',
    async (when) => {
      if (when === 'after') await sql`analyze`.execute(counter.kysely);
      const rowsRead = (page: Partial<Parameters<typeof requests.list>[0]>) =>
        counter.rowsRead('access_request', requests.list({ ...all, ...page }));
      expect(await rowsRead({})).toBe(limit);
      expect(await rowsRead({ isOldestFirst: true })).toBe(limit);
      expect(await rowsRead({ olderThan: middle })).toBe(limit);
      expect(await rowsRead({ newerThan: middle, isOldestFirst: true })).toBe(limit);
      // With a status filter, the statement also reads the requests with other statuses in between.
      if (when === 'after')
        expect(await rowsRead({ olderThan: middle, status: 'declined' })).toBeLessThan(3 * limit);
    },
  );
});

await describeOnPostgres('a portfolio of ten thousand companies', (createDatabase) => {
  const companies = 10_000;
  const limit = 51;
  const counter = useCounter(
    createDatabase,
    async (kysely) => {
      await sql`
      insert into investor select 'inv_' || number, 'Somebody', 'live', now()
      from generate_series(1, 3) as number`.execute(kysely);
      await sql`
      insert into company select 'co_' || number, 'Company ' || md5(number::text), 'live', now()
      from generate_series(1, ${companies}::int) as number`.execute(kysely);
      await sql`
      insert into portfolio_membership (investor_id, company_id, environment, added_at, company_name)
      select investor.id, company.id, 'live', now() + random() * interval '1 year', company.name
      from investor, company`.execute(kysely);
    },
    genericPlans,
  );

  const part = { ...firstPage('inv_2'), limit };
  const middle = { name: 'Company 8', addedAt: new Date(Date.now() + 180 * 86_400_000) };
  const rowsRead = (table: string, ...parts: PortfolioPart[]) => {
    const { order, isDownward, ids } = parts[0] ?? part;
    const isOfIds = ids !== null;
    return counter.rowsRead(table, pages.page({ order, isDownward, isOfIds })(parts));
  };

  describe.each(['before', 'after'])('%s the table is analyzed', (when) => {
    beforeAll(async () => {
      if (when === 'after') await sql`analyze`.execute(counter.kysely);
    });

    test.each(['name', 'addedAt'] as const)(
      'is read only up to the size of a page if sorted by %s, from any start',
      async (order) => {
        const value = order === 'name' ? middle.name : middle.addedAt.toISOString();
        const place = { value, id: 'co_1' };
        const parts: PortfolioPart[] = [
          { ...part, order },
          { ...part, order, isDownward: true },
          { ...part, order, above: place },
          { ...part, order, below: place, isDownward: true },
        ];
        for (const one of parts) {
          expect(await rowsRead('portfolio_membership', one)).toBe(limit);
          expect(await rowsRead('company', one)).toBe(limit);
        }
        const [forwards] = parts as [PortfolioPart];
        const others = { ...forwards, investorId: 'inv_3', above: place };
        expect(await rowsRead('portfolio_membership', forwards, others)).toBe(2 * limit);
      },
    );

    test('is read only for the given company ids', async () => {
      const ids = Array.from({ length: 50 }, (_, index) => `co_${1 + index * 7}`);
      expect(await rowsRead('portfolio_membership', { ...part, ids })).toBe(ids.length);
    });

    test('is searched by name or access status in one scan, without a read of other tables', async () => {
      const search = { ...part, search: 'no such name' };
      expect(await rowsRead('portfolio_membership', search)).toBe(companies);
      expect(await rowsRead('company', search)).toBe(0);
      const access = { ...part, access: 'approved' } as const;
      expect(await rowsRead('portfolio_membership', access)).toBe(companies);
    });
  });
});

await describeOnPostgres('thousands of sessions', (createDatabase) => {
  const count = 5_000;
  const counter = useCounter(
    createDatabase,
    async (kysely) => {
      await sql`
      insert into company select 'co_' || number, 'Harbor', 'live', now()
      from generate_series(1, ${count}::int) as number`.execute(kysely);
      await sql`
      insert into contact select 'ct_' || number, 'co_' || number, null,
        'c' || number || '@harbor.example', 'admin', now()
      from generate_series(1, ${count}::int) as number`.execute(kysely);
      await sql`
      insert into desk_session (id, digest, email, contact_id, signed_in_by, created_at,
        last_seen_at, expires_at)
      select 'ds_' || number, sha256(('ds_' || number)::bytea), 'c' || number || '@harbor.example',
        'ct_' || number, 'link', now(), now(), now() + interval '1 hour'
      from generate_series(1, ${count}::int) as number`.execute(kysely);
      await sql`analyze`.execute(kysely);
    },
    genericPlans,
  );

  it('are authenticated with one statement that reads no other session', async () => {
    const numbers = [7, 70, 700];
    const digests = numbers.map((number) =>
      createHash('sha256').update(`ds_${number}`).digest('hex'),
    );
    const authenticate = sessions.authenticate(digests);
    for (const table of ['desk_session', 'company']) {
      expect(await counter.rowsRead(table, authenticate), table).toBe(numbers.length);
    }
    expect(await counter.rowsRead('contact', authenticate)).toBe(2 * numbers.length);
    const acting = sessions.findActing([{ id: 'ds_7', contactId: 'ct_7' }]);
    expect(await counter.rowsRead('desk_session', acting)).toBe(1);
  });
});

await describeOnPostgres('the access log of a busy company', (createDatabase) => {
  const busy = isFull ? 50_000 : 10_000;
  const counter = useCounter(createDatabase, async (kysely) => {
    await sql`
      insert into access_record (id, occurred_at, request_id, protocol, key_id, investor_id,
        company_id, scope, resource, outcome)
      select 'rec_' || number, now() - number * interval '1 second', 'req_1', 'rest', 'key_1', 'inv_1',
        'co_1', 'metrics:read', 'metrics', 'access_required'
      from generate_series(1, ${busy}::int) as number`.execute(kysely);
    await sql`analyze`.execute(kysely);
  });

  // The statement reads one more row than the page has, because the next record may have the same time.
  const rowsRead = (statement: Statement<unknown>) =>
    counter.rowsRead('access_record_other', statement);

  it.each([
    ['a scope that was never used', { scopes: ['sources:read' as const] }, 0],
    ['a scope that was used', { scopes: ['metrics:read' as const, 'sources:read' as const] }, 21],
  ])(
    'is read for an investor only up to the size of a page: %s',
    async (_name, { scopes }, read) => {
      const statement = records.ofInvestor({
        investorId: 'inv_1',
        scopes,
        before: null,
        limit: 20,
      });
      expect(await rowsRead(statement)).toBe(read);
    },
  );

  it('is read for an operator only up to the size of a page', async () => {
    expect(await rowsRead(records.ofCompany({ companyId: 'co_1', limit: 20 }))).toBe(21);
  });

  it('is searched for the records of one investor only up to the limit per statement', async () => {
    const company = { companyId: 'co_1', before: null };
    const oldestCursor = { instant: new Date(Date.now() - 1_000_000), id: 'rec_1000' };
    const ofNobody = {
      ...company,
      oldestCursor,
      environment: 'test',
      investorId: 'inv_2',
    } as const;
    expect(await rowsRead(records.place(company, 1_000))).toBe(1_001);
    expect(await rowsRead(records.received({ ...ofNobody, limit: 20 }))).toBeLessThan(1_100);
  });
});

await describeOnPostgres('the access log of a year of days', (createDatabase) => {
  const today = Date.parse('2030-06-01T00:00:00Z');
  const dayOf = (age: number) => new Date(today - age * 86_400_000).toISOString().slice(0, 10);
  const partOf = (age: number) => `access_record_${dayOf(age).replaceAll('-', '_')}`;
  const noon = new Date(today + 43_200_000);
  const days = isFull ? 365 : 60;
  const counter = useCounter(createDatabase, async (kysely) => {
    for (let age = days; age >= 0; age -= 1) {
      const bounds = sql.raw(`from ('${dayOf(age)}T00:00:00Z') to ('${dayOf(age - 1)}T00:00:00Z')`);
      await sql`
        create table ${sql.table(partOf(age))} partition of access_record
        for values ${bounds}`.execute(kysely);
    }
  });

  const [newest] = windowsOf({ since: undefined, until: noon });
  const own = { companyId: 'co_1', limit: 20, ...newest };
  const reads = (investorId?: string) =>
    statistics.reads(
      {
        companyId: 'co_1',
        environment: 'live',
        firstDay: dayOf(days - 10),
        lastDay: dayOf(0),
        most: 50,
        ...(investorId !== undefined && { investorId }),
      },
      new Date(today),
    );

  it.each([
    [
      'the list of a company',
      records.received({ ...own, environment: 'live', before: null, oldestCursor: null }),
    ],
    ['the list of an operator', records.ofCompany(own)],
    [
      'the list of an investor',
      records.ofInvestor({ ...own, investorId: 'inv_1', scopes: ['metrics:read'], before: null }),
    ],
    [
      'the end of a search through a company’s records',
      records.place({ ...own, before: null }, 1_000),
    ],
  ])(
    'is read with a plan that contains only the newest partitions: %s',
    async (_name, statement) => {
      expect(await counter.partsPlanned(statement)).toEqual([partOf(2), partOf(1), partOf(0)]);
    },
  );

  it.each([
    ['of all investors', reads()],
    ['of one investor', reads('inv_1')],
    ['of a grant', statistics.usage('co_1', ['ar_1'], new Date(today))],
  ])(
    'is read with a plan that contains only the partitions of uncounted days: statistics %s',
    async (_name, statement) => {
      const [today_, ...others] = await counter.partsPlanned(statement);
      expect(today_).toBe(partOf(0));
      expect(others.filter((name) => /\d/.test(name))).toEqual([]);
    },
  );
});

await describeOnPostgres('the sources of thousands of companies', (createDatabase) => {
  const sources = 30_000;
  const now = new Date('2026-11-02T09:30:00Z');
  const counter = useCounter(createDatabase, async (kysely) => {
    await sql`
      insert into company select 'co_' || number, 'Somebody', 'live', now()
      from generate_series(1, 1000) as number`.execute(kysely);
    await sql`
      insert into source
      select 'co_' || 1 + number % 1000, 'bank', 'account ' || number,
        case number % 1000 when 0 then 'failed' else 'connected' end, ${now}::timestamptz, 'P1D',
        ${now}::timestamptz + interval '1 day'
      from generate_series(1, ${sources}::int) as number`.execute(kysely);
    await sql`
      update source set last_synced_at = last_synced_at - interval '1 day',
        stale_at = stale_at - interval '1 day'
      where account_name like 'account %001'`.execute(kysely);
    await sql`vacuum analyze`.execute(kysely);
  });

  test('are counted up to ten thousand if failed or stale, without a read of the other sources', async () => {
    const read = (instant: Date) => counter.rowsRead('source', data.countUnhealthySources(instant));
    expect(await read(now)).toBeLessThanOrEqual((2 * 2 * sources) / 1000);
    const allAreStale = new Date('2026-12-01T00:00:00Z');
    expect(await read(allAreStale)).toBeLessThanOrEqual(2 * 10_000 + (2 * sources) / 1000);
  });
});

await describeOnPostgres('due work among thousands of grants', (createDatabase) => {
  const grants = isFull ? 5_000 : 3_000;
  const now = new Date();
  const counter = useCounter(createDatabase, async (kysely) => {
    await sql`insert into company values ('co_1', 'One', 'test', now())`.execute(kysely);
    await sql`
      insert into investor select 'inv_' || number, 'Somebody', 'test', now()
      from generate_series(1, ${grants}::int) as number`.execute(kysely);
    // A company has a thousand grants. One awaits a decision, one has ended, one ends soon, and one needs a review.
    await sql`
      insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
        previous_scopes, pending_scopes, status, created_at, decided_at, expires_at, deadline_at,
        expiring_at, review_at, last_event_type)
      select 'ar_' || number, 'inv_' || number, 'co_1', '{metrics:read,sources:read}',
        '{metrics:read}', '{}', case number % 1000 when 0 then '{accounts:read}' else '{}' end::text[],
        'approved', now(), now(), now() + interval '1 year',
        now() + interval '1 year' * case number % 1000 when 1 then -1 else 1 end,
        now() + interval '1 year' * case number % 1000 when 2 then -1 else 1 end,
        now() + interval '90 days' * case number % 1000 when 3 then -1 else 1 end,
        'access_request.approved'
      from generate_series(1, ${grants}::int) as number`.execute(kysely);
  });

  const page = { now, after: null, limit: 50 };
  const { dueBy, toAnswer } = requests;
  const statements = {
    'a request that a sandbox company must answer': toAnswer({
      answering: ['co_1', 'co_2'],
      ending: ['co_2'],
      decidedBy: now,
      limit: 50,
    }),
    'a request or a grant that has ended': dueBy(
      sql`deadline_at`,
      sql`status in ('pending', 'approved')`,
      page,
    ),
    'a grant whose end must be announced': dueBy(
      sql`expiring_at`,
      sql`expiring_at is not null`,
      page,
    ),
    'a grant that its company must review': dueBy(sql`review_at`, sql`review_at is not null`, page),
  };

  test.each(Object.entries(statements))(
    '%s is found without a read of other grants',
    async (_name, statement) => {
      await sql`analyze`.execute(counter.kysely);
      // A row found through an index counts twice: as the index entry and as the row.
      expect(await counter.rowsRead('access_request', statement)).toBeLessThanOrEqual(
        (2 * grants) / 1000,
      );
    },
  );
});

await describeOnPostgres(
  'a company with 10,000 requests and years of records',
  (createDatabase) => {
    const count = 10_000;
    const reads = isFull ? 1_000_000 : 50_000;
    const days = 365;
    const now = new Date();
    const counted = new Date(now.toISOString().slice(0, 10));
    const counter = useCounter(createDatabase, async (kysely) => {
      await sql`insert into company values ('co_1', 'One', 'live', now())`.execute(kysely);
      await sql`
      insert into investor select 'inv_' || number, 'Somebody', 'live', now()
      from generate_series(1, ${count}::int) as number`.execute(kysely);
      // A third of the requests is pending, a third granted and a third declined. One in a thousand
      // grants ends this month, one in a thousand is in review, and one in a thousand has an
      // addition of terms.
      await sql`
      insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
        previous_scopes, pending_scopes, pending_terms, status, created_at, decided_at, expires_at,
        deadline_at, last_event_type)
      select 'ar_' || number, 'inv_' || number, 'co_1', '{metrics:read}',
        case when status = 'approved' then '{metrics:read}' else '{}' end::text[], '{}', '{}',
        case when status = 'approved' and number % 1000 < 3 then '{}'::jsonb end, status,
        now() - number * interval '1 minute', case when status <> 'pending' then now() end,
        case when status = 'approved' then ends end,
        case when status = 'approved' then ends else now() + interval '20 days' end,
        'access_request.' || case when status = 'pending' then 'created'
          when status = 'approved' and number % 1000 < 3 then 'review_due' else status end
      from generate_series(1, ${count}::int) as number,
        lateral (select (array['pending', 'approved', 'declined'])[1 + number % 3] as status,
          now() + interval '1 day' * case when number % 1000 < 3 then 10 else 200 end as ends) as state
      `.execute(kysely);
      // Other sessions may wait for a long transaction to end, so several transactions insert the records.
      for (let first = 1; first <= reads; first += 50_000) {
        await sql`
      insert into access_record (id, occurred_at, request_id, protocol, key_id, investor_id,
        company_id, scope, resource, outcome, grant_id)
      select 'rec_' || number, now() - number * interval '1 day' * ${days}::int / ${reads}::int,
        'req_1', 'rest', 'key_1', 'inv_' || number % 100, 'co_1', 'metrics:read', 'metrics',
        'allowed', 'ar_' || number % 100
      from generate_series(${first}::int, ${first + 49_999}::int) as number`.execute(kysely);
      }
      await sql`
      insert into access_day
      select (occurred_at at time zone 'UTC')::date, count(*) from access_record
      where occurred_at < ${counted} group by 1`.execute(kysely);
      await sql`
      insert into access_day_count
      select company_id, day, investor_id, scope, metric_key, grant_id, count(*), 0
      from access_record join access_day on day = (occurred_at at time zone 'UTC')::date
      group by 1, 2, 3, 4, 5, 6`.execute(kysely);
      await sql`
      insert into access_grant_use
      select grant_id, day, company_id, count(*), max(occurred_at)
      from access_record join access_day on day = (occurred_at at time zone 'UTC')::date
      group by 1, 2, 3`.execute(kysely);
      await sql`analyze`.execute(kysely);
    });

    const company = { companyId: 'co_1', now };
    const until = new Date(now.getTime() + 30 * 86_400_000);

    test('loads a page of access requests without a read of the other requests', async () => {
      const rows = (statement: Statement<unknown>) => counter.rowsRead('access_request', statement);
      const page = { ...company, before: null, limit: 51 };
      expect(await rows(requests.waiting(page))).toBeLessThanOrEqual(60);
      const before = { instant: new Date(now.getTime() - 5_000 * 60_000), id: 'ar_5000' };
      expect(await rows(requests.waiting({ ...page, before }))).toBeLessThanOrEqual(60);
      expect(await rows(requests.countOfWaiting({ ...company, limit: 101 }))).toBeLessThanOrEqual(
        202,
      );
      expect(await rows(requests.ending({ ...company, until, limit: 50 }))).toBeLessThanOrEqual(50);
      expect(await rows(requests.inReview({ ...company, limit: 50 }))).toBeLessThanOrEqual(50);
      expect(await rows(requests.requestingInvestors('co_1', 100))).toBeLessThanOrEqual(200);
    });

    /** A record found through an index counts twice: as the index entry and as the row. */
    const recordsOfToday = (2 * reads) / days + 10;

    test('reads the usage of a page of grants only from the daily counts and today’s records', async () => {
      const ids = Array.from({ length: 50 }, (_, index) => `ar_${index}`);
      const usage = statistics.usage('co_1', ids, counted);
      expect(await counter.rowsRead('access_grant_use', usage)).toBeLessThanOrEqual(2 * 50 * days);
      expect(await counter.rowsRead('access_record_other', usage)).toBeLessThan(recordsOfToday);
    });

    test('reads its statistics only from the daily counts and today’s records', async () => {
      const statement = statistics.reads(
        {
          companyId: 'co_1',
          environment: 'live',
          firstDay: new Date(now.getTime() - 29 * 86_400_000).toISOString().slice(0, 10),
          lastDay: now.toISOString().slice(0, 10),
          most: 50,
        },
        counted,
      );
      expect(await counter.rowsRead('access_day_count', statement)).toBeLessThanOrEqual(
        2 * 30 * 100,
      );
      expect(await counter.rowsRead('access_record_other', statement)).toBeLessThan(recordsOfToday);
    });
  },
);

await describeOnPostgres('the feed of a company with years of events', (createDatabase) => {
  const years = isFull ? 20_000 : 5_000;
  const counter = useCounter(createDatabase, async (kysely) => {
    await sql`insert into company values ('co_1', 'One', 'test', now())`.execute(kysely);
    await sql`insert into investor values ('inv_1', 'Somebody', 'test', now())`.execute(kysely);
    await sql`
      insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
        previous_scopes, pending_scopes, status, created_at, decided_at, deadline_at,
        last_event_type)
      values ('ar_1', 'inv_1', 'co_1', '{metrics:read}', '{}', '{}', '{}', 'declined', now(), now(),
        now(), 'access_request.declined')`.execute(kysely);
    await sql`
      insert into access_event (id, type, created_at, access_request_id, access_request, position,
        investor_id, company_id, actor_type)
      select 'evt_' || number, 'access_request.extended',
        now() - interval '1 hour' * (${years}::int - number), 'ar_1', '{}', number, 'inv_1', 'co_1',
        'company_key'
      from generate_series(1, ${years}::int) as number`.execute(kysely);
    await sql`analyze`.execute(kysely);
  });

  test('is read from its start, without a read of events that are older than the feed', async () => {
    const since = new Date(Date.now() - 90 * 86_400_000);
    expect(await counter.rowsRead('access_event', events.lastBefore(since))).toBeLessThan(10);
    const after = String(years - 90 * 24 - 2);
    for (const reader of [{ companyId: 'co_1' }, null]) {
      const statement = events.feed({ reader, after, since, limit: 50 });
      expect(await counter.rowsRead('access_event', statement)).toBeLessThan(60);
    }
  });

  test('deletes old data events without a read of request events or of other events’ deliveries', async () => {
    const { kysely } = counter;
    await sql`
      insert into access_event (id, type, created_at, company_id, data, scopes, position)
      select 'evt_old' || number, 'company_data.updated', now() - interval '100 days', 'co_1', '{}',
        '{metrics:read}', ${years}::int + number
      from generate_series(1, 50) as number`.execute(kysely);
    await sql`
      insert into webhook_endpoint (id, company_id, url, types, secret, created_at)
      values ('whe_1', 'co_1', 'https://example.com/', '{}', 'whsec_x', now())`.execute(kysely);
    await sql`
      insert into webhook_delivery (endpoint_id, event_id, event_type, state, attempts, created_at,
        company_id)
      select 'whe_1', id, type, 'delivered', 1, created_at, 'co_1' from access_event
      where data is null`.execute(kysely);
    await sql`analyze`.execute(kysely);
    const before = new Date(Date.now() - 91 * 86_400_000);
    const ten = events.deleteOldData(before, 10);
    expect(await counter.rowsRead('webhook_delivery', ten)).toBeLessThan(20);
    expect(await counter.rowsRead('access_event', ten)).toBeLessThan(100);
    const none = events.deleteOldData(new Date(Date.now() - 101 * 86_400_000), 10);
    expect(await counter.rowsRead('access_event', none)).toBeLessThan(10);
    await sql`delete from access_event where data is not null`.execute(kysely);
  });

  test('returns the events that an investor may read, without a read of other companies’ events', async () => {
    const { kysely } = counter;
    await sql`insert into investor values ('inv_2', 'Granted', 'test', now())`.execute(kysely);
    await sql`
      insert into company select 'co_data_' || number, 'Data', 'test', now()
      from generate_series(1, 50) as number`.execute(kysely);
    await sql`
      insert into portfolio_membership (investor_id, company_id, environment, added_at)
      select 'inv_2', 'co_data_' || number, 'test', now() from generate_series(1, 25) as number`.execute(
      kysely,
    );
    // Five of the 25 companies in the portfolio have granted access to the investor.
    await sql`
      insert into access_request (id, version, investor_id, company_id, requested_scopes,
        approved_scopes, previous_scopes, pending_scopes, status, created_at, decided_at, expires_at,
        deadline_at, last_event_type)
      select 'ar_data_' || number, '1', 'inv_2', 'co_data_' || number, '{metrics:read}',
        '{metrics:read}', '{}', '{}', 'approved', now(), now(), now() + interval '1 day',
        now() + interval '1 day', 'access_request.approved'
      from generate_series(1, 5) as number`.execute(kysely);
    await sql`
      insert into access_event (id, type, created_at, position, company_id, data, scopes)
      select 'evt_data_' || number, 'company_data.updated', now(), ${years}::int + number,
        'co_data_' || (1 + number % 50), '{}', '{metrics:read}'
      from generate_series(1, 5000) as number`.execute(kysely);
    await sql`analyze`.execute(kysely);
    const query = {
      reader: { investorId: 'inv_2' },
      after: String(years),
      since: new Date(Date.now() - 90 * 86_400_000),
      limit: 50,
      data: { scopes: ['metrics:read'] as const, now: new Date() },
    };
    const statement = events.feed(query);
    const told = await statement.execute(kysely);
    expect(told.rows).toHaveLength(50);
    // Each of these companies adds at most one page. Then the events of the result are read with their receipts.
    expect(await counter.rowsRead('access_event', statement)).toBeLessThan(5 * 60 + 60);
    const ofOne = events.feed({ ...query, companyId: 'co_data_2' });
    expect(await counter.rowsRead('access_event', ofOne)).toBeLessThan(60 + 60);
    const early = { ...query, until: String(years + 10) };
    expect(await counter.rowsRead('access_event', events.feed(early))).toBeLessThan(20);
  });

  test('returns a page of receipts or the unsigned receipts without a read of other receipts', async () => {
    const page = { accessRequestId: 'ar_1', after: `rcpt_${years / 2}`, limit: 50 };
    const some = [page, { ...page, after: null }, { ...page, after: 'rcpt_none' }];
    for (const table of ['access_event', 'consent_receipt']) {
      expect(await counter.rowsRead(table, receipts.chains(some))).toBeLessThan(220);
      expect(await counter.rowsRead(table, receipts.unsigned(50, null))).toBeLessThan(110);
    }
  });
});
