import { describe, expect, test } from 'vitest';
import type { ImportRecord } from '#core';
import {
  accountRecord,
  addCompany,
  addInvestor,
  addPair,
  addRequests,
  aMetric,
  anAccessRequest,
  anAccount,
  anApiKey,
  approved,
  aSource,
  at,
  declined,
  freshId,
  importAll,
  metricRecord,
  sourceRecord,
} from './builders.ts';
import { type Open, useRepositories } from './open.ts';

export function describeStandingReader(name: string, open: Open): void {
  describe(name, () => {
    const repositories = useRepositories(open);

    async function aCaller() {
      const pair = await addPair(repositories);
      const { key, digest } = anApiKey(pair.investor, { expiresAt: at(99) });
      await repositories.apiKeys.add({ key, digest });
      return { ...pair, key, question: { keyId: key.id, companyId: pair.company.id } };
    }

    test('an unknown key has no standing at all', async () => {
      const { company } = await addPair(repositories);
      const question = { keyId: freshId('key'), companyId: company.id };
      expect(await repositories.standings.read(question)).toEqual({
        key: null,
        inPortfolio: false,
        newestRequest: null,
        dataVersion: '0',
      });
    });

    test('without a request there is a key and a portfolio', async () => {
      const { key, question } = await aCaller();
      expect(await repositories.standings.read(question)).toEqual({
        key: { scopes: key.scopes, expiresAt: key.expiresAt, revokedAt: null },
        inPortfolio: true,
        newestRequest: null,
        dataVersion: '0',
      });
    });

    test('a company outside the portfolio looks like one that does not exist', async () => {
      const { key } = await aCaller();
      const outside = await addCompany(repositories);
      const read = (companyId: string) => repositories.standings.read({ keyId: key.id, companyId });
      const standing = await read(outside.id);
      expect(standing.inPortfolio).toBe(false);
      expect(standing).toEqual(await read(freshId('co')));
    });

    test('of several requests the newest counts', async () => {
      const { investor, company, question } = await aCaller();
      const pair = { investor, company };
      const first = declined(anAccessRequest(pair, { createdAt: at(1) }));
      const newest = approved(anAccessRequest(pair, { createdAt: at(3) }));
      const second = declined(anAccessRequest(pair, { createdAt: at(2) }));
      await addRequests(repositories, first, newest, second);
      const { id, status, approvedScopes, lapsesAt } = newest;
      const standing = await repositories.standings.read(question);
      expect(standing.newestRequest).toEqual({ id, status, approvedScopes, lapsesAt });
    });

    test('another investor’s portfolio and grant count for nothing', async () => {
      const { company, ...granted } = await aCaller();
      await addRequests(
        repositories,
        approved(anAccessRequest({ investor: granted.investor, company })),
      );
      const { key, digest } = anApiKey(await addInvestor(repositories));
      await repositories.apiKeys.add({ key, digest });
      const question = { keyId: key.id, companyId: company.id };
      expect(await repositories.standings.read(question)).toMatchObject({
        inPortfolio: false,
        newestRequest: null,
      });
    });

    test('questions asked at once are each answered for their own pair', async () => {
      const callers = await Promise.all(Array.from({ length: 20 }, aCaller));
      const requests = callers.map((pair, index) =>
        index % 2 === 0 ? approved(anAccessRequest(pair)) : anAccessRequest(pair),
      );
      await addRequests(repositories, ...requests);
      const foreign = { keyId: callers[0]?.key.id ?? '', companyId: callers[1]?.company.id ?? '' };
      const unknown = { keyId: freshId('key'), companyId: freshId('co') };
      const own = callers.map(({ question }) => question);
      const [first, second, ...rest] = await Promise.all(
        [foreign, unknown, ...own, ...own].map((question) => repositories.standings.read(question)),
      );
      expect(first).toMatchObject({ inPortfolio: false, newestRequest: null });
      expect(second).toMatchObject({ key: null });
      const ids = requests.map(({ id }) => id);
      expect(rest.map((standing) => standing.newestRequest?.id)).toEqual([...ids, ...ids]);
    });

    test('the version of a company’s data changes with whatever can be read of it, and then only', async () => {
      const { company, question } = await aCaller();
      const other = await aCaller();
      const metric = aMetric(company);
      const imports: ImportRecord[] = [
        metricRecord(metric),
        metricRecord({ ...metric, value: 'another' }),
        metricRecord({ ...metric, period: '2026-11-30', label: 'Another label' }),
        sourceRecord(aSource(company)),
        sourceRecord(aSource(company, { status: 'error' })),
        accountRecord(anAccount(company)),
      ];
      const versions = new Set([(await repositories.standings.read(question)).dataVersion]);
      for (const record of imports) {
        await importAll(repositories, [record]);
        versions.add((await repositories.standings.read(question)).dataVersion);
      }
      expect(versions.size).toBe(1 + imports.length);
      await importAll(repositories, imports.slice(-1));
      versions.add((await repositories.standings.read(question)).dataVersion);
      expect(versions.size).toBe(1 + imports.length);
      expect((await repositories.standings.read(other.question)).dataVersion).toBe('0');
    });

    test('a revoked grant is seen by the very next question', async () => {
      const { investor, company, question } = await aCaller();
      const request = approved(anAccessRequest({ investor, company }));
      await addRequests(repositories, request);
      expect((await repositories.standings.read(question)).newestRequest?.status).toBe('approved');
      await repositories.accessRequests.transact(async (transaction) => {
        await transaction.lock(request.id);
        await transaction.save({ ...request, status: 'revoked' });
      });
      expect((await repositories.standings.read(question)).newestRequest?.status).toBe('revoked');
    });

    test('a revoked key is seen by the very next question', async () => {
      const { key, question } = await aCaller();
      await repositories.apiKeys.revoke(key.id, at(4));
      expect((await repositories.standings.read(question)).key?.revokedAt).toEqual(at(4));
    });

    test('a company that has left the portfolio is outside it at the very next question', async () => {
      const { investor, company, question } = await aCaller();
      await addRequests(repositories, approved(anAccessRequest({ investor, company })));
      await repositories.directory.removeFromPortfolio(investor.id, company.id);
      expect((await repositories.standings.read(question)).inPortfolio).toBe(false);
    });
  });
}
