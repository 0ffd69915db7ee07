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
      createdAt: at(),
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
      const added = [aCompanyKey(company), aCompanyKey(company, { expiresAt: at(7) })];
      for (const newKey of added) await companyKeys.add(newKey);
      await companyKeys.revoke(added[0]?.key.id ?? '', at(9));
      const digests = [...added.map(({ digest }) => digest), freshDigest()];
      const found = await Promise.all([...digests, ...digests].map(companyKeys.authenticate));
      const { environment } = company;
      const callers = added.map(({ key: { id, expiresAt } }, index) => ({
        id,
        companyId: company.id,
        environment,
        expiresAt,
        revokedAt: index === 0 ? at(9) : null,
      }));
      expect(found).toEqual([...callers, null, ...callers, null]);
    });

    test('a key is no key of an investor', async () => {
      const newKey = aCompanyKey(await addCompany(repositories));
      await repositories.companyKeys.add(newKey);
      const { digest } = newKey;
      const found = await repositories.accessFacts.authenticate({ digest, companyId: null });
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

    test('a key is revoked once', async () => {
      const { companyKeys } = repositories;
      const { key, digest } = aCompanyKey(await addCompany(repositories));
      await companyKeys.add({ key, digest });
      expect(await companyKeys.revoke(key.id, at(7))).toBe(true);
      expect(await companyKeys.revoke(key.id, at(8))).toBe(false);
      expect((await companyKeys.authenticate(digest))?.revokedAt).toEqual(at(7));
    });
  });
}

export function describeContacts(name: string, open: Open): void {
  describe(name, () => {
    const repositories = useRepositories(open);
    const aContact = (companyId: string, email: string, createdAt = at()): Contact => ({
      id: freshId('ct'),
      companyId,
      email,
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
      expect(await contacts.list(company.id)).toEqual([early, late]);
      expect(await contacts.list(null)).toEqual(expect.arrayContaining([early, late, foreign]));
    });

    test('an address is removed once', async () => {
      const { contacts } = repositories;
      const contact = aContact((await addCompany(repositories)).id, 'a@harbor.example');
      await contacts.add(contact);
      expect(await contacts.remove(contact.id)).toBe(true);
      expect(await contacts.remove(contact.id)).toBe(false);
      expect(await contacts.list(contact.companyId)).toEqual([]);
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
      const amended = (request: AccessRequest): AccessRequest => ({
        ...approved({ ...request, requestedScopes: ['metrics:read'] }),
        pendingScopes: ['accounts:read'],
        pendingPurpose: 'The audit',
        previousScopes: ['metrics:read'],
      });
      const { company, requests } = await addReceived(declined, amended);
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
      const shown = { investorName: 'Northwind', keyHint: newKey.key.hint };
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
      const first = await accessRecords.findPlace({ ...own, before: null }, 3);
      expect(first).toEqual({ instant: shown[2]?.occurredAt, id: shown[2]?.id });
      expect(await accessRecords.findPlace({ ...own, before: first }, 3)).toBeNull();
      expect(
        await accessRecords.listReceived({ ...own, before: null, downTo: first, limit: 9 }),
      ).toEqual(shown.slice(0, 3));
      expect(
        await accessRecords.listReceived({ ...own, before: first, downTo: null, limit: 9 }),
      ).toEqual(shown.slice(3));
    });
  });
}
