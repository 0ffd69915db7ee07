import { expect, test } from 'vitest';
import {
  type AccessRequest,
  type AccessRequestStatus,
  type Company,
  type Contact,
  noLimits,
} from '#core';
import {
  addCompany,
  addInvestor,
  addRequests,
  anAccessRecord,
  anAccessRequest,
  anApiKey,
  anEntry,
  approved,
  at,
  contactChanges,
  declined,
  freshId,
  keyChanges,
} from './builders.ts';
import { contract } from './contract.ts';

export const contactsContract = contract('contacts', (repositories) => {
  const aContact = (companyId: string, email: string, createdAt = at()): Contact => ({
    id: freshId('ct'),
    owner: { companyId },
    email,
    role: 'admin',
    createdAt,
  });

  test('an email address is added only once to a company, whose contacts are listed oldest first', async () => {
    const { contacts } = repositories;
    const [company, other] = [await addCompany(repositories), await addCompany(repositories)];
    const late = aContact(company.id, 'a@harbor.example', at(2));
    const early = aContact(company.id, 'b@harbor.example', at(1));
    const foreign = aContact(other.id, late.email);
    for (const contact of [late, early, foreign])
      expect(await contactChanges(contacts).add(contact)).toBe(true);
    expect(await contactChanges(contacts).add(aContact(company.id, late.email))).toBe(false);
    expect(await contacts.list({ companyId: company.id })).toEqual([early, late]);
    expect(await contacts.list(null)).toEqual(expect.arrayContaining([early, late, foreign]));
  });

  test('a contact can be removed only once', async () => {
    const { contacts } = repositories;
    const contact = aContact((await addCompany(repositories)).id, 'a@harbor.example');
    await contactChanges(contacts).add(contact);
    expect(await contactChanges(contacts).remove(contact.id)).toBe(true);
    expect(await contactChanges(contacts).remove(contact.id)).toBe(false);
    expect(await contacts.list(contact.owner)).toEqual([]);
  });

  test('changes of a company’s contacts run one by one, so two simultaneous removals can’t remove all contacts', async () => {
    const { contacts } = repositories;
    const { id: companyId } = await addCompany(repositories);
    const all = ['a', 'b', 'c'].map((name) => aContact(companyId, `${name}@harbor.example`));
    for (const contact of all) await contactChanges(contacts).add(contact);
    const last = new Error('the last one');
    const outcomes = await Promise.allSettled(
      all.map(({ id }) =>
        contacts.transact({ companyId }, null, async (own) => {
          await own.remove(id, anEntry());
          if ((await own.list({ companyId })).length === 0) throw last;
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([
      { status: 'rejected', reason: last },
    ]);
    expect(await contacts.list({ companyId })).toHaveLength(1);
  });
});

export const receivedContract = contract(
  'requests and records that a company receives',
  (repositories) => {
    /** Adds access requests of several investors to one company, oldest first. */
    async function addReceived(
      ...make: readonly ((request: AccessRequest) => AccessRequest)[]
    ): Promise<{ company: Company; requests: AccessRequest[] }> {
      const company = await addCompany(repositories);
      const requests: AccessRequest[] = [];
      for (const [index, change] of make.entries()) {
        const investor = await addInvestor(repositories, { name: `Investor ${index}` });
        const request = anAccessRequest({ investor, company }, { createdAt: at(index) });
        requests.push(change(request));
      }
      await addRequests(repositories, ...requests);
      return { company, requests };
    }

    const list = async (
      companyId: string,
      page: Partial<Parameters<typeof repositories.accessRequests.listReceived>[0]> = {},
    ) =>
      repositories.accessRequests.listReceived({
        companyId,
        now: at(1000),
        before: null,
        limit: 10,
        ...page,
      });

    test('access requests are listed newest first, with all fields and the names of the investors', async () => {
      const withAddition = (request: AccessRequest): AccessRequest => ({
        ...approved({ ...request, requestedScopes: ['metrics:read'] }),
        pendingScopes: ['accounts:read'],
        pendingPurpose: 'The audit',
        previousScopes: ['metrics:read'],
      });
      const { company, requests } = await addReceived(declined, withAddition);
      await addReceived(declined);
      expect(await list(company.id)).toEqual(
        requests
          .map((accessRequest, index) => ({
            accessRequest,
            investor: { id: accessRequest.investorId, name: `Investor ${index}` },
            isInPortfolio: false,
          }))
          .toReversed(),
      );
    });

    test('an access request shows whether the company is in the investor’s portfolio now', async () => {
      const { directory } = repositories;
      const company = await addCompany(repositories);
      const investor = await addInvestor(repositories);
      await addRequests(repositories, approved(anAccessRequest({ investor, company })));
      const isInPortfolio = async () => (await list(company.id)).map((each) => each.isInPortfolio);
      expect(await isInPortfolio()).toEqual([false]);
      await directory.addToPortfolio(investor, company, at(1), anEntry());
      expect(await isInPortfolio()).toEqual([true]);
      await directory.suspend({ investorId: investor.id }, at(2), anEntry());
      expect(await isInPortfolio()).toEqual([false]);
      await directory.suspend({ investorId: investor.id }, null, anEntry());
      await directory.removeFromPortfolio(investor.id, company.id, anEntry());
      expect(await isInPortfolio()).toEqual([false]);
    });

    test('a page continues after any access request, even if several requests have the same time', async () => {
      const sameInstant = (request: AccessRequest) => ({ ...request, createdAt: at(5) });
      const { company, requests } = await addReceived(...Array(5).fill(sameInstant));
      const seen: string[] = [];
      let before: { instant: Date; id: string } | null = null;
      for (;;) {
        const page = await list(company.id, { before, limit: 2 });
        const last = page.at(-1)?.accessRequest;
        if (last === undefined) break;
        seen.push(...page.map(({ accessRequest }) => accessRequest.id));
        before = { instant: last.createdAt, id: last.id };
      }
      expect(seen).toEqual(requests.map(({ id }) => id).toReversed());
    });

    test('the listed status of an access request is its current status, even if the store has an older one', async () => {
      const { company, requests } = await addReceived(
        (request) => request,
        (request) => ({ ...request, deadlineAt: at(1000) }),
        approved,
        (request) => ({ ...approved(request), deadlineAt: at(999) }),
        declined,
        (request) => ({ ...request, status: 'expired' }),
      );
      const withStatus = async (status: AccessRequestStatus) =>
        (await list(company.id, { status })).map(({ accessRequest }) => accessRequest.id);
      const ids = (...indexes: number[]) => indexes.map((index) => requests[index]?.id);
      expect(await withStatus('pending')).toEqual(ids(0));
      expect(await withStatus('approved')).toEqual(ids(2));
      expect(await withStatus('declined')).toEqual(ids(4));
      expect(await withStatus('expired')).toEqual(ids(5, 3, 1));
      expect(await withStatus('revoked')).toEqual([]);
    });

    const amended = (request: AccessRequest): AccessRequest => ({
      ...approved({ ...request, requestedScopes: ['metrics:read'] }),
      pendingScopes: ['accounts:read'],
    });
    const over = (request: AccessRequest): AccessRequest => ({ ...request, deadlineAt: at(1000) });

    test('pending requests and grants with a pending addition are listed as waiting until they end', async () => {
      const { company, requests } = await addReceived(
        (request) => request,
        approved,
        amended,
        declined,
        over,
        (request) => over(amended(request)),
        (request) => request,
        (request) => ({ ...approved(request), pendingTerms: noLimits }),
      );
      await addReceived((request) => request);
      const { accessRequests } = repositories;
      const waiting = { companyId: company.id, now: at(1000), limit: 10 };
      const all = await accessRequests.listWaiting({ ...waiting, before: null });
      expect(all).toEqual(
        [7, 6, 2, 0].map((index) => ({
          accessRequest: requests[index],
          investor: { id: requests[index]?.investorId, name: `Investor ${index}` },
          isInPortfolio: false,
        })),
      );
      const before = { instant: at(6), id: requests[6]?.id ?? '' };
      expect(await accessRequests.listWaiting({ ...waiting, before, limit: 1 })).toEqual([all[2]]);
      expect(await accessRequests.countWaiting(waiting)).toBe(4);
      expect(await accessRequests.countWaiting({ ...waiting, limit: 2 })).toBe(2);
      expect(await accessRequests.countWaiting({ ...waiting, companyId: freshId('co') })).toBe(0);
    });

    test('grants that end soon are listed soonest first, with or without a pending addition, until they end', async () => {
      const endsAt = (milliseconds: number) => (request: AccessRequest) => ({
        ...approved(request),
        expiresAt: at(milliseconds),
        deadlineAt: at(milliseconds),
      });
      const { company, requests } = await addReceived(
        endsAt(3000),
        endsAt(1000),
        (request) => ({ ...amended(request), ...endsAt(2000)(request), pendingScopes: [] }),
        endsAt(3001),
        over,
        endsAt(3000),
      );
      await addReceived(endsAt(2000));
      const ending = { companyId: company.id, now: at(1000), until: at(3000) };
      const idsOf = async (limit: number) =>
        (await repositories.accessRequests.listEnding({ ...ending, limit })).map(
          ({ accessRequest, investor }) => [accessRequest.id, investor.name],
        );
      const expected = [2, 0, 5].map((index) => [requests[index]?.id, `Investor ${index}`]);
      expect(await idsOf(10)).toEqual(expected);
      expect(await idsOf(2)).toEqual(expected.slice(0, 2));
    });

    test('each investor that ever requested access to the company is listed once, sorted by name', async () => {
      const company = await addCompany(repositories);
      const asking = [];
      for (const name of ['Zeta', 'Alpha', 'Alpha']) {
        const investor = await addInvestor(repositories, { name });
        asking.push({ id: investor.id, name });
        for (const _ of [1, 2]) {
          await addRequests(repositories, declined(anAccessRequest({ investor, company })));
        }
      }
      await addReceived(declined);
      const [zeta, first, second] = asking;
      const { accessRequests } = repositories;
      expect(await accessRequests.listRequestingInvestors(company.id, 9)).toEqual([
        first,

        second,

        zeta,
      ]);
      expect(await accessRequests.listRequestingInvestors(company.id, 2)).toEqual([first, zeta]);
      expect(await accessRequests.listRequestingInvestors(freshId('co'), 9)).toEqual([]);
    });

    async function addRecords(company: Company, environment: 'live' | 'test', count: number) {
      const investor = await addInvestor(repositories, { environment, name: 'Northwind' });
      const newKey = anApiKey(investor);
      await keyChanges(repositories.apiKeys).add(newKey);
      const keyId = newKey.key.id;
      const records = Array.from({ length: count }, (_, index) =>
        anAccessRecord({
          ...{ occurredAt: at(Math.floor(index / 2)), keyId },
          ...{ investorId: investor.id, companyId: company.id },
        }),
      );
      for (const record of records) await repositories.accessRecords.record(record);
      const shown = { investorName: 'Northwind', keyHint: newKey.key.hint, contactEmail: null };
      return { investor, shown: records.map((record) => ({ ...record, ...shown })).toReversed() };
    }

    test('access records of one environment are listed newest first in pages, with investor names and key hints', async () => {
      const company = await addCompany(repositories);
      const { investor, shown } = await addRecords(company, 'live', 6);
      const other = await addRecords(company, 'live', 1);
      await addRecords(company, 'test', 3);
      const received = (filter = {}) =>
        repositories.accessRecords.listReceived({
          companyId: company.id,
          environment: 'live',
          before: null,
          oldestCursor: null,
          limit: 100,
          ...filter,
        });
      expect(new Set(await received())).toEqual(new Set([...shown, ...other.shown]));
      const own = { investorId: investor.id };
      expect(await received(own)).toEqual(shown);
      expect(await received({ ...own, scope: 'metrics:read' })).toEqual(shown);
      expect(await received({ ...own, scope: 'sources:read' })).toEqual([]);
      expect(await received({ ...own, since: at(1), until: at(1) })).toEqual(shown.slice(2, 4));
      const [first] = shown;
      const before = { instant: first?.occurredAt, id: first?.id };
      expect(await received({ ...own, before, limit: 3 })).toEqual(shown.slice(1, 4));
      expect(await received({ companyId: freshId('co') })).toEqual([]);
    });

    test('a search through access records can be split into parts without gaps or duplicates', async () => {
      const company = await addCompany(repositories);
      const { investor, shown } = await addRecords(company, 'live', 5);
      const { accessRecords } = repositories;
      const own = { companyId: company.id, environment: 'live', investorId: investor.id } as const;
      const first = await accessRecords.findCursor({ ...own, before: null }, 3);
      expect(first).toEqual({ instant: shown[2]?.occurredAt, id: shown[2]?.id });
      expect(await accessRecords.findCursor({ ...own, before: first }, 3)).toBeNull();
      expect(
        await accessRecords.listReceived({ ...own, before: null, oldestCursor: first, limit: 9 }),
      ).toEqual(shown.slice(0, 3));
      expect(
        await accessRecords.listReceived({ ...own, before: first, oldestCursor: null, limit: 9 }),
      ).toEqual(shown.slice(3));
    });
  },
);
