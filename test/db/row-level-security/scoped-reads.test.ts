import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Periods, Repositories } from '#core';
import { type Database, openDatabase } from '#db';
import { aCredential, firstPage } from '../../contracts/builders.ts';
import { asOfNow } from '../../support/call.ts';
import { describeOnPostgres, withClient } from '../../support/databases.ts';
import { useWorld } from './world.ts';

const now = new Date();
const month = 30 * 86_400_000;
const periods: Periods = { from: null, to: null };

type Read = (repositories: Repositories, id: string) => Promise<unknown>;

const ofCompany: Record<string, Read> = {
  'the version of data': ({ companyData }, id) => companyData.version(id),
  'the latest metrics': ({ companyData }, id) => companyData.latestMetrics(asOfNow(id, 'test')),
  'a history': async ({ companyData }, id) =>
    companyData.metricHistory(asOfNow(id, 'test'), 'cash_balance', periods),
  'the revisions of a metric': ({ companyData }, id) =>
    companyData.metricRevisions(asOfNow(id, 'test'), 'cash_balance', periods),
  'the sources': ({ companyData }, id) => companyData.sources(asOfNow(id, 'test')),
  'whether a source has stopped': async ({ companyData }, id) => [
    ...(await companyData.findCompaniesWithUnhealthySources([id], new Date(8.64e15))),
  ],
  'the accounts': ({ companyData }, id) => companyData.accounts(asOfNow(id, 'test')),
  'the contacts': ({ contacts }, companyId) => contacts.list({ companyId }),
  'the keys': ({ companyKeys }, id) => companyKeys.list(id),
  'the latest keys': ({ companyKeys }, id) => companyKeys.listLatest(id, now, 10),
  'the keys, locked for a change': ({ companyKeys }, id) =>
    companyKeys.transact(id, null, (own) => own.listLatest(id, now, 10)),
  'the webhooks': ({ webhookEndpoints }, companyId) => webhookEndpoints.list({ companyId }),
  'the access requests': ({ accessRequests }, companyId) =>
    accessRequests.list({ companyId, now, limit: 10 }),
  'the requests that it has received': ({ accessRequests }, companyId) =>
    accessRequests.listReceived({ companyId, now, before: null, limit: 10 }),
  'the grants that end soon': ({ accessRequests }, companyId) =>
    accessRequests.listEnding({
      companyId,
      now,
      until: new Date(now.getTime() + 24 * month),
      limit: 10,
    }),
  'the investors that have made requests': ({ accessRequests }, id) =>
    accessRequests.listRequestingInvestors(id, 10),
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
  'a request, to change it': async ({ accessRequests }, companyId) => {
    const [request] = await accessRequests.list({ companyId, now, limit: 1 });
    return accessRequests.transact(aCredential({ companyId }), ({ lock }) =>
      lock(request?.id ?? ''),
    );
  },
};

const ofInvestor: Record<string, Read> = {
  'the portfolio': ({ directory }, id) => directory.readPortfolio(id),
  'a page of the portfolio': ({ directory }, investorId) =>
    directory.pagePortfolio(firstPage(investorId)),
  'a company of the portfolio': async ({ directory }, id) => {
    const [entry] = await directory.pagePortfolio(firstPage(id));
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
    return accessRequests.transact(aCredential({ investorId }), ({ lock }) =>
      lock(request?.id ?? ''),
    );
  },
};

await describeOnPostgres('data that a company or an investor reads', (createDatabase) => {
  const { world } = useWorld(createDatabase);

  /** Hides the protected tables' rows from the background role. Returns a function that shows them again. */
  const hideFromBackground = () =>
    withClient(world().url, async (client) => {
      const { rows } = await client.query(
        `select tablename as name from pg_policies where policyname = 'of_scope'`,
      );
      const see = (condition: boolean) =>
        rows
          .map(({ name }) => `alter policy of_background on ${name} using (${condition})`)
          .join(';');
      await client.query(see(false));
      return () => withClient(world().url, (again) => again.query(see(true)));
    });

  describe.each([
    ['a company', ofCompany, () => world().neighbours.companies[0]],
    ['an investor', ofInvestor, () => world().neighbours.investors[0]],
  ] as const)('in the row scope of %s', (_owner, reads, idOf) => {
    const before = new Map<string, unknown>();
    let database: Database;
    let restore: (() => Promise<unknown>) | undefined;

    beforeAll(async () => {
      database = await openDatabase({
        databaseUrl: world().roles.serviceUrl,
        dataDir: '',
        role: 'service',
      });
      for (const [name, read] of Object.entries(reads)) {
        before.set(name, await read(database.repositories, idOf()));
      }
      restore = await hideFromBackground();
    });
    afterAll(async () => {
      await restore?.();
      await database.close();
    });

    test.each(Object.keys(reads))(
      'is found even if the background role sees no rows: %s',
      async (name) => {
        const found = await reads[name]?.(database.repositories, idOf());
        expect(found).toEqual(before.get(name));
        expect(found).toBeTruthy();
        expect(found).not.toEqual([]);
      },
    );

    test('isn’t found by a read without a row scope', async () => {
      const { rows } = await withClient(world().url, (client) =>
        client.query('select id from access_request limit 1'),
      );
      const id = String(rows[0]?.id);
      expect(await database.repositories.accessRequests.find(id)).toBeNull();
    });
  });
});
