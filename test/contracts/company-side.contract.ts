import { describe, expect, test } from 'vitest';
import type {
  AccessRecord,
  AccessRequest,
  AccessRequestStatus,
  Company,
  CompanyKey,
  Contact,
  NewKey,
} from '#core';
import {
  addCompany,
  addInvestor,
  addRequests,
  anAccessRequest,
  anApiKey,
  approved,
  at,
  declined,
  freshDigest,
  freshId,
} from './builders.ts';
import { type Open, useRepositories } from './open.ts';

function aCompanyKey(
  { id: companyId, environment }: Company,
  overrides: Partial<CompanyKey> = {},
): NewKey<CompanyKey> {
  return {
    key: {
      id: freshId('ck'),
      companyId,
      environment,
      hint: `svc_ck_${environment}_…9aZ3`,
      name: null,
      scopes: ['consents:manage', 'data:read'],
      source: null,
      createdAt: at(),
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      replacedBy: null,
      ...overrides,
    },
    digest: freshDigest(),
  };
}

export function describeCompanyKeys(name: string, open: Open): void {
  describe(name, () => {
    const repositories = useRepositories(open);

    test('a key is found by its id, as it was added, and listed oldest first', async () => {
      const company = await addCompany(repositories, { environment: 'test' });
      const other = await addCompany(repositories);
      const late = aCompanyKey(company, { createdAt: at(2), expiresAt: at(987) });
      const early = aCompanyKey(company, { createdAt: at(1) });
      const foreign = aCompanyKey(other);
      const { companyKeys } = repositories;
      for (const newKey of [late, early, foreign]) await companyKeys.add(newKey);
      expect(await companyKeys.find(late.key.id)).toEqual(late.key);
      expect(await companyKeys.find(freshId('ck'))).toBeNull();
      expect(await companyKeys.list(company.id)).toEqual([early.key, late.key]);
      expect(await companyKeys.list(null)).toEqual(
        expect.arrayContaining([early.key, late.key, foreign.key]),
      );
    });

    test('digests shown at once each get the key that is theirs, as it is now', async () => {
      const { companyKeys } = repositories;
      const company = await addCompany(repositories);
      const added = [
        aCompanyKey(company),
        aCompanyKey(company, { expiresAt: at(7), scopes: ['data:write'], source: 'Ledger' }),
      ];
      for (const newKey of added) await companyKeys.add(newKey);
      const digests = [...added.map(({ digest }) => digest), freshDigest()];
      const lookAt = (now: Date) =>
        Promise.all(
          [...digests, ...digests].map((digest) => companyKeys.authenticate({ digest, now })),
        );
      const { environment } = company;
      const [early, late] = added.map(({ key: { id, scopes, source, expiresAt } }) => {
        const { id: companyId } = company;
        return { id, companyId, environment, scopes, source, expiresAt, revokedAt: null };
      });
      expect(await lookAt(at(6))).toEqual([early, late, null, early, late, null]);
      expect(await lookAt(at(7))).toEqual([early, null, null, early, null, null]);
      await companyKeys.revoke(early?.id ?? '', at(9));
      expect(await lookAt(at(6))).toEqual([null, late, null, null, late, null]);
    });

    test('a key is no key of an investor', async () => {
      const newKey = aCompanyKey(await addCompany(repositories));
      await repositories.companyKeys.add(newKey);
      const { digest } = newKey;
      const question = { digest, companyId: null, now: at() };
      const found = await repositories.accessFacts.authenticate(question);
      expect(found).toBeNull();
    });

    test('of many that replace a key at once exactly one does, and the old one ends', async () => {
      const { companyKeys } = repositories;
      const company = await addCompany(repositories);
      const old = aCompanyKey(company);
      await companyKeys.add(old);
      const successors = Array.from({ length: 8 }, () => aCompanyKey(company));
      const replaced = await Promise.all(
        successors.map((successor) => companyKeys.replace(old.key, at(5), successor)),
      );
      expect(replaced.filter(Boolean)).toHaveLength(1);
      const winner = successors[replaced.indexOf(true)];
      expect(await companyKeys.find(old.key.id)).toMatchObject({
        expiresAt: at(5),
        replacedBy: winner?.key.id,
      });
      expect(await companyKeys.list(company.id)).toHaveLength(2);
    });

    test('the latest keys of a company are those that work, then those that have ended, newest first', async () => {
      const { companyKeys } = repositories;
      const company = await addCompany(repositories);
      const of = (createdAt: number, overrides: Partial<CompanyKey> = {}) =>
        aCompanyKey(company, { createdAt: at(createdAt), ...overrides });
      const [first, ended, second, revoked] = [
        of(1),
        of(2, { expiresAt: at(50) }),
        of(3, { expiresAt: at(51) }),
        of(4),
      ];
      for (const newKey of [
        first,
        ended,
        second,
        revoked,
        aCompanyKey(await addCompany(repositories)),
      ]) {
        await companyKeys.add(newKey);
      }
      await companyKeys.revoke(revoked.key.id, at(9));
      const latest = async (limit: number) =>
        (await companyKeys.listLatest(company.id, at(50), limit)).map(({ id }) => id);
      expect(await latest(10)).toEqual(
        [second, first, revoked, ended].map(({ key: { id } }) => id),
      );
      expect(await latest(1)).toEqual([second.key.id]);
      expect((await companyKeys.listLatest(company.id, at(50), 1))[0]).toEqual(second.key);
    });

    test('of many changes that each leave at most three keys, none comes in between another', async () => {
      const { companyKeys } = repositories;
      const company = await addCompany(repositories);
      const full = new Error('there are three');
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, () =>
          companyKeys.transact(company.id, async (keys) => {
            await keys.add(aCompanyKey(company));
            if ((await keys.list(company.id)).length > 3) throw full;
          }),
        ),
      );
      const refused = outcomes.filter(({ status }) => status === 'rejected');
      expect(refused.map((outcome) => (outcome as PromiseRejectedResult).reason)).toEqual(
        Array(5).fill(full),
      );
      expect(await companyKeys.list(company.id)).toHaveLength(3);
    });

    test('a change replaces and revokes keys together, or not at all', async () => {
      const { companyKeys } = repositories;
      const company = await addCompany(repositories);
      const [old, other, successor] = [
        aCompanyKey(company, { createdAt: at(1) }),
        aCompanyKey(company, { createdAt: at(2) }),
        aCompanyKey(company, { createdAt: at(3) }),
      ];
      for (const newKey of [old, other]) await companyKeys.add(newKey);
      const change = (error?: Error) =>
        companyKeys.transact(company.id, async (keys) => {
          expect(await keys.replace(old.key, at(5), successor)).toBe(true);
          expect(await keys.revoke(other.key.id, at(6))).toBe(true);
          if (error !== undefined) throw error;
          return keys.find(successor.key.id);
        });
      await expect(change(new Error('not so'))).rejects.toThrow('not so');
      expect(await companyKeys.list(company.id)).toEqual([old.key, other.key]);
      expect(await change()).toEqual(successor.key);
      expect(await companyKeys.list(company.id)).toEqual([
        { ...old.key, expiresAt: at(5), replacedBy: successor.key.id },
        { ...other.key, revokedAt: at(6) },
        successor.key,
      ]);
    });

    test('a key is revoked once', async () => {
      const { companyKeys } = repositories;
      const { key, digest } = aCompanyKey(await addCompany(repositories));
      await companyKeys.add({ key, digest });
      expect(await companyKeys.revoke(key.id, at(7))).toBe(true);
      expect(await companyKeys.revoke(key.id, at(8))).toBe(false);
      expect(await companyKeys.readValidity(key.id)).toMatchObject({ revokedAt: at(7) });
      expect(await companyKeys.authenticate({ digest, now: at(6) })).toBeNull();
    });
  });
}

export function describeContacts(name: string, open: Open): void {
  describe(name, () => {
    const repositories = useRepositories(open);
    const aContact = (companyId: string, email: string, createdAt = at()): Contact => ({
      id: freshId('ct'),
      owner: { companyId },
      email,
      role: 'admin',
      createdAt,
    });

    test('an address is added once to a company, and listed with its others, oldest first', async () => {
      const { contacts } = repositories;
      const [company, other] = [await addCompany(repositories), await addCompany(repositories)];
      const late = aContact(company.id, 'a@harbor.example', at(2));
      const early = aContact(company.id, 'b@harbor.example', at(1));
      const foreign = aContact(other.id, late.email);
      for (const contact of [late, early, foreign]) expect(await contacts.add(contact)).toBe(true);
      expect(await contacts.add(aContact(company.id, late.email))).toBe(false);
      expect(await contacts.list({ companyId: company.id })).toEqual([early, late]);
      expect(await contacts.list(null)).toEqual(expect.arrayContaining([early, late, foreign]));
    });

    test('an address is removed once', async () => {
      const { contacts } = repositories;
      const contact = aContact((await addCompany(repositories)).id, 'a@harbor.example');
      await contacts.add(contact);
      expect(await contacts.remove(contact.id)).toBe(true);
      expect(await contacts.remove(contact.id)).toBe(false);
      expect(await contacts.list(contact.owner)).toEqual([]);
    });

    test('of many changes that each leave at least one contact, none comes in between another', async () => {
      const { contacts } = repositories;
      const { id: companyId } = await addCompany(repositories);
      const all = ['a', 'b', 'c'].map((name) => aContact(companyId, `${name}@harbor.example`));
      for (const contact of all) await contacts.add(contact);
      const last = new Error('the last one');
      const outcomes = await Promise.allSettled(
        all.map(({ id }) =>
          contacts.transact({ companyId }, async (own) => {
            await own.remove(id);
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
}

export function describeReceived(name: string, open: Open): void {
  describe(name, () => {
    const repositories = useRepositories(open);

    /** Requests of investors of their own to one company, oldest first. */
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

    test('requests come newest first, whole, with the names of those who ask', async () => {
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
          }))
          .toReversed(),
      );
    });

    test('pages go on after a request, also among those of one instant', async () => {
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

    test('a status is the one that a request has now, whatever was written last', async () => {
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

    test('those that wait are pending, or grants to which something is asked for, and not over', async () => {
      const { company, requests } = await addReceived(
        (request) => request,
        approved,
        amended,
        declined,
        over,
        (request) => over(amended(request)),
        (request) => request,
      );
      await addReceived((request) => request);
      const { accessRequests } = repositories;
      const waiting = { companyId: company.id, now: at(1000), limit: 10 };
      const all = await accessRequests.listWaiting({ ...waiting, before: null });
      expect(all).toEqual(
        [6, 2, 0].map((index) => ({
          accessRequest: requests[index],
          investor: { id: requests[index]?.investorId, name: `Investor ${index}` },
        })),
      );
      const before = { instant: at(6), id: requests[6]?.id ?? '' };
      expect(await accessRequests.listWaiting({ ...waiting, before, limit: 1 })).toEqual([all[1]]);
      expect(await accessRequests.countWaiting(waiting)).toBe(3);
      expect(await accessRequests.countWaiting({ ...waiting, limit: 2 })).toBe(2);
      expect(await accessRequests.countWaiting({ ...waiting, companyId: freshId('co') })).toBe(0);
    });

    test('grants that end soon come soonest first, also those with an addition, and none that is over', async () => {
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
      const ending = { companyId: company.id, now: at(1000), until: at(3000) };
      const idsOf = async (limit: number) =>
        (await repositories.accessRequests.listEnding({ ...ending, limit })).map(
          ({ accessRequest, investor }) => [accessRequest.id, investor.name],
        );
      const expected = [2, 0, 5].map((index) => [requests[index]?.id, `Investor ${index}`]);
      expect(await idsOf(10)).toEqual(expected);
      expect(await idsOf(2)).toEqual(expected.slice(0, 2));
    });

    test('investors that ever asked are told once each, by name', async () => {
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
      expect(await accessRequests.listAskingInvestors(company.id, 9)).toEqual([
        first,
        second,
        zeta,
      ]);
      expect(await accessRequests.listAskingInvestors(company.id, 2)).toEqual([first, zeta]);
      expect(await accessRequests.listAskingInvestors(freshId('co'), 9)).toEqual([]);
    });

    async function addRecords(company: Company, environment: 'live' | 'test', count: number) {
      const investor = await addInvestor(repositories, { environment, name: 'Northwind' });
      const newKey = anApiKey(investor);
      await repositories.apiKeys.add(newKey);
      const records = Array.from(
        { length: count },
        (_, index): AccessRecord => ({
          id: freshId('rec'),
          occurredAt: at(Math.floor(index / 2)),
          requestId: freshId('req'),
          protocol: 'rest',
          keyId: newKey.key.id,
          contactId: null,
          investorId: investor.id,
          companyId: company.id,
          scope: 'metrics:read',
          resource: 'metrics',
          metricKey: null,
          grantId: freshId('ar'),
          outcome: 'allowed',
          count: 1,
        }),
      );
      for (const record of records) await repositories.accessRecords.record(record);
      const shown = { investorName: 'Northwind', keyHint: newKey.key.hint, contactEmail: null };
      return { investor, shown: records.map((record) => ({ ...record, ...shown })).toReversed() };
    }

    test('records come newest first, page by page, with name and hint, of one environment', async () => {
      const company = await addCompany(repositories);
      const { investor, shown } = await addRecords(company, 'live', 6);
      const other = await addRecords(company, 'live', 1);
      await addRecords(company, 'test', 3);
      const received = (filter = {}) =>
        repositories.accessRecords.listReceived({
          companyId: company.id,
          environment: 'live',
          before: null,
          downTo: null,
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

    test('records can be looked through piece by piece, none left out and none twice', async () => {
      const company = await addCompany(repositories);
      const { investor, shown } = await addRecords(company, 'live', 5);
      const { accessRecords } = repositories;
      const own = { companyId: company.id, environment: 'live', investorId: investor.id } as const;
      const first = await accessRecords.findCursor({ ...own, before: null }, 3);
      expect(first).toEqual({ instant: shown[2]?.occurredAt, id: shown[2]?.id });
      expect(await accessRecords.findCursor({ ...own, before: first }, 3)).toBeNull();
      expect(
        await accessRecords.listReceived({ ...own, before: null, downTo: first, limit: 9 }),
      ).toEqual(shown.slice(0, 3));
      expect(
        await accessRecords.listReceived({ ...own, before: first, downTo: null, limit: 9 }),
      ).toEqual(shown.slice(3));
    });
  });
}
