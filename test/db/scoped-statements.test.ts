import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Periods, PortfolioPart, Repositories } from '#core';
import { type Database, openDatabase } from '#db';
import { type Connections, openConnections } from '../../db/connections.ts';
import { genericPlans, preparedStatements } from '../../db/prepared-statements.ts';
import { statements as requests } from '../../db/repositories/access-requests.ts';
import { statements as data } from '../../db/repositories/company-data.ts';
import type { Statement } from '../../db/store.ts';
import { asOfNow } from '../support/call.ts';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { fillForNeighbours, type Neighbours } from '../support/neighbours.ts';
import { createRoles, type Roles } from '../support/roles.ts';

const now = new Date();
const month = 30 * 86_400_000;
const periods: Periods = { from: null, to: null };
const day = (milliseconds: number) =>
  new Date(now.getTime() + milliseconds).toISOString().slice(0, 10);

type Read = (repositories: Repositories, id: string) => Promise<unknown>;

/** What is read of a company, or by it. */
const ofCompany: Record<string, Read> = {
  'the version of data': ({ companyData }, id) => companyData.version(id),
  'the latest metrics': ({ companyData }, id) => companyData.latestMetrics(asOfNow(id, 'test')),
  'a history': async ({ companyData }, id) =>
    companyData.metricHistory(asOfNow(id, 'test'), 'cash_balance', periods),
  'the revisions of a metric': ({ companyData }, id) =>
    companyData.metricRevisions(asOfNow(id, 'test'), 'cash_balance', periods),
  'the sources': ({ companyData }, id) => companyData.sources(asOfNow(id, 'test')),
  'the accounts': ({ companyData }, id) => companyData.accounts(asOfNow(id, 'test')),
  'an export': async ({ exports }, id) => {
    const records: unknown[] = [];
    await exports.read(asOfNow(id, 'test'), async (taken) => void records.push(...taken));
    return records;
  },
  'the contacts': ({ contacts }, id) => contacts.list(id),
  'the contacts, to change them': ({ contacts }, id) =>
    contacts.transact(id, (own) => own.list(id)),
  'the keys': ({ companyKeys }, id) => companyKeys.list(id),
  'the latest keys': ({ companyKeys }, id) => companyKeys.listLatest(id, now, 10),
  'the keys, to change them': ({ companyKeys }, id) =>
    companyKeys.transact(id, (own) => own.listLatest(id, now, 10)),
  'the webhooks': ({ webhookEndpoints }, companyId) => webhookEndpoints.list({ companyId }),
  'the access requests': ({ accessRequests }, companyId) =>
    accessRequests.list({ companyId, now, limit: 10 }),
  'the requests that it has received': ({ accessRequests }, companyId) =>
    accessRequests.listReceived({ companyId, now, before: null, limit: 10 }),
  'the grants that end': ({ accessRequests }, companyId) =>
    accessRequests.listEnding({
      companyId,
      now,
      until: new Date(now.getTime() + 24 * month),
      limit: 10,
    }),
  'who asks': ({ accessRequests }, id) => accessRequests.listAskingInvestors(id, 10),
  'the events': ({ accessEvents }, companyId) =>
    accessEvents.read({ reader: { companyId }, after: null, since: null, limit: 100 }),
  'the latest events': ({ accessEvents }, companyId) =>
    accessEvents.read({
      reader: { companyId },
      after: null,
      since: new Date(now.getTime() - month),
      limit: 100,
    }),
  'the last event': ({ accessEvents }, companyId) => accessEvents.findLast({ companyId }),
  'how often it is read': ({ accessStatistics }, companyId) =>
    accessStatistics.countReads({
      companyId,
      environment: 'test',
      firstDay: day(-month),
      lastDay: day(0),
      most: 10,
    }),
  'the use of its grants': async ({ accessStatistics, accessRequests }, companyId) => {
    const listed = await accessRequests.list({ companyId, now, limit: 10 });
    return accessStatistics.readUsage(
      companyId,
      listed.map(({ id }) => id),
    );
  },
  'a request, to change it': async ({ accessRequests }, companyId) => {
    const [request] = await accessRequests.list({ companyId, now, limit: 1 });
    return accessRequests.transact(({ lock }) => lock(request?.id ?? ''), { companyId });
  },
};

const part: Omit<PortfolioPart, 'investorId'> = {
  order: 'name',
  above: null,
  below: null,
  isDownward: false,
  limit: 10,
  ids: null,
  search: null,
  access: null,
  now,
};

const ofInvestor: Record<string, Read> = {
  'the portfolio': ({ directory }, id) => directory.readPortfolio(id),
  'a page of the portfolio': ({ directory }, investorId) =>
    directory.pagePortfolio({ ...part, investorId }),
  'a company of the portfolio': async ({ directory }, id) => {
    const [entry] = await directory.pagePortfolio({ ...part, investorId: id });
    return directory.findInPortfolio(id, entry?.company.id ?? '');
  },
  'the webhooks': ({ webhookEndpoints }, investorId) => webhookEndpoints.list({ investorId }),
  'the access requests': ({ accessRequests }, investorId) =>
    accessRequests.list({ investorId, now, limit: 10 }),
  'the events': ({ accessEvents }, investorId) =>
    accessEvents.read({ reader: { investorId }, after: null, since: null, limit: 100 }),
  'the last event': ({ accessEvents }, investorId) => accessEvents.findLast({ investorId }),
  'a request, to change it': async ({ accessRequests }, investorId) => {
    const [request] = await accessRequests.list({ investorId, now, limit: 1 });
    return accessRequests.transact(({ lock }) => lock(request?.id ?? ''), { investorId });
  },
};

/** The same statement with another text in the place of one. */
const altered = <Result>(
  statement: Statement<Result>,
  text: string | RegExp,
  other: string,
): Statement<Result> => ({
  compile(provider) {
    const compiled = statement.compile(provider);
    const sql = compiled.sql.replace(text, other);
    if (sql === compiled.sql) throw new Error(`the statement has no ${text}`);
    return { ...compiled, sql };
  },
});

await describeOnPostgres('what a company or an investor reads', (createDatabase) => {
  let url: string;
  let roles: Roles;
  let neighbours: Neighbours;
  let connections: Connections;

  beforeAll(async () => {
    ({ url } = await createDatabase());
    roles = await createRoles(url);
    neighbours = await fillForNeighbours(url);
    connections = openConnections(
      { url: roles.serviceUrl },
      {
        connections: 2,
        acquireMilliseconds: 5000,
        statementMilliseconds: null,
        server: genericPlans,
        isPipelined: true,
        onError() {},
      },
    );
  });
  afterAll(async () => {
    await connections?.close();
    await roles?.drop();
  });

  /** From then on the policies leave nothing to a statement without a scope of that kind. */
  const closeOutsideOf = (setting: string) =>
    withClient(url, async (client) => {
      const { rows } = await client.query('select tablename, qual from pg_policies');
      const isUnset = `( SELECT (COALESCE(current_setting('${setting}'::text, true), ''::text) = ''::text))`;
      for (const { tablename, qual } of rows) {
        const closed = String(qual).replaceAll(isUnset, 'false');
        await client.query(`alter policy of_scope on ${tablename} using (${closed})`);
      }
      return () =>
        withClient(url, async (again) => {
          for (const { tablename, qual } of rows) {
            await again.query(`alter policy of_scope on ${tablename} using (${qual})`);
          }
        });
    });

  describe.each([
    ['portfolio_access.companies', ofCompany, () => neighbours.companies[0]],
    ['portfolio_access.investors', ofInvestor, () => neighbours.investors[0]],
  ] as const)('is read within %s', (setting, reads, idOf) => {
    const before = new Map<string, unknown>();
    let database: Database;
    let open: () => Promise<void>;

    beforeAll(async () => {
      database = await openDatabase({
        databaseUrl: roles.serviceUrl,
        dataDir: '',
        role: 'service',
      });
      for (const [name, read] of Object.entries(reads)) {
        before.set(name, await read(database.repositories, idOf()));
      }
      open = await closeOutsideOf(setting);
    });
    afterAll(async () => {
      await open();
      await database.close();
    });

    test.each(Object.keys(reads))('%s', async (name) => {
      const found = await reads[name]?.(database.repositories, idOf());
      expect(found).toEqual(before.get(name));
      expect(found).toBeTruthy();
      expect(found).not.toEqual([]);
    });

    test('and what is read without one is not found then', async () => {
      const { rows } = await withClient(url, (client) =>
        client.query('select id from access_request limit 1'),
      );
      const id = String(rows[0]?.id);
      expect(await database.repositories.accessRequests.find(id)).toBeNull();
    });
  });

  const history = (companyId: string) => ({ ...asOfNow(companyId), key: 'cash_balance', periods });
  const page = (companyId: string) => ({ companyId, now, before: null, limit: 100 });
  const forgetful: Record<
    string,
    (id: string) => [whole: Statement<object>, broken: Statement<object>]
  > = {
    latestMetrics: (id) => [
      data.latestMetrics([id]),
      altered(
        data.latestMetrics([id]),
        'series.company_id = any($1',
        '$1::text[] is not null or key = any($1',
      ),
    ],
    metricHistory: (id) => [
      data.metricHistory([history(id)]),
      altered(data.metricHistory([history(id)]), 'series.company_id = asked.company_id', 'true'),
    ],
    metricRevisions: (id) => [
      data.metricRevisions([history(id)]),
      altered(data.metricRevisions([history(id)]), 'series.company_id = asked.company_id', 'true'),
    ],
    sources: (id) => [
      data.sources([id]),
      altered(
        data.sources([id]),
        'company_id = any($1',
        '$1::text[] is not null or provider = any($1',
      ),
    ],
    accounts: (id) => [
      data.accounts([id]),
      altered(
        data.accounts([id]),
        'company_id = any($1',
        '$1::text[] is not null or provider = any($1',
      ),
    ],
    waiting: (id) => [
      requests.waiting(page(id)),
      altered(requests.waiting(page(id)), 'company_id = $1', '$1::text is not null'),
    ],
    countOfWaiting: (id) => [
      requests.countOfWaiting(page(id)),
      altered(requests.countOfWaiting(page(id)), 'company_id = $1', '$1::text is not null'),
    ],
    askingInvestors: (id) => [
      requests.askingInvestors(id, 100),
      altered(requests.askingInvestors(id, 100), /company_id = (\$\d)/g, '$1::text is not null'),
    ],
  };

  test.each(Object.keys(forgetful))(
    'is the same where a statement forgets its filter: %s',
    async (name) => {
      const [whole, broken] = forgetful[name]?.(neighbours.companies[0]) ?? [];
      if (whole === undefined || broken === undefined) throw new Error('no statement');
      const scope = { companies: [neighbours.companies[0]] };
      const { orm, pool, store } = connections;
      const inAnyOrder = (rows: readonly object[]) =>
        rows.map((row) => JSON.stringify(row)).toSorted();
      for (const runner of [preparedStatements(pool, orm.em.getKysely()), store]) {
        const own = inAnyOrder(await runner.scoped(scope).run(whole));
        expect(own.length).toBeGreaterThan(0);
        expect(inAnyOrder(await runner.scoped(scope).run(broken))).toEqual(own);
        expect(inAnyOrder(await runner.run(broken))).not.toEqual(own);
      }
    },
  );
});
