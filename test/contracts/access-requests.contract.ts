import { describe, expect, test } from 'vitest';
import {
  type AccessEvent,
  type AccessRequest,
  type Actor,
  type Approval,
  type Company,
  type Cursor,
  createAccessEvent,
  type ListedRequests,
  noLimits,
  operator,
  versionOf,
} from '#core';
import {
  aClaim,
  addCompany,
  addInvestor,
  addPair,
  addRequests,
  anAccessRequest,
  anEntry,
  approved,
  at,
  declined,
  freshId,
} from './builders.ts';
import { contract } from './contract.ts';

export const accessRequestsContract = contract('access requests', (repositories) => {
  const { transact, find } = {
    transact: <T>(work: Parameters<typeof repositories.accessRequests.transact<T>>[1]) =>
      repositories.accessRequests.transact(null, work),
    find: (id: string) => repositories.accessRequests.find(id),
  };
  async function list(filter: Partial<ListedRequests>) {
    const { accessRequests } = repositories;
    const page = { now: at(10), limit: 10_000, ...filter };
    // The count covers the whole list, whatever page is requested.
    const all = { ...page, olderThan: null, newerThan: null, limit: 10_000 };
    if (filter.investorId !== undefined)
      expect(await accessRequests.count(page)).toBe((await accessRequests.list(all)).length);
    return accessRequests.list(page);
  }

  async function addRequest(overrides: Partial<AccessRequest> = {}) {
    const pair = await addPair(repositories);
    const request = anAccessRequest(pair, overrides);
    await addRequests(repositories, request);
    return { ...pair, request };
  }

  const approvalBy = (actor: Actor, expiresAt: string | null): Approval => ({
    ...{ actor, createdAt: at().toISOString(), scopes: ['metrics:read'], expiresAt },
    terms: { use: 'once', metricKeys: ['arr'], historyFrom: '2026-01-31' },
  });
  /** A value for each field that only a grant with terms, a pause or two approvals has. */
  const limited = {
    requestedTerms: { use: 'once', metricKeys: ['arr', 'cash'], historyFrom: null },
    approvedTerms: { use: 'once', metricKeys: ['arr'], historyFrom: '2026-01-31' },
    pendingTerms: noLimits,
    approvals: [
      approvalBy({ type: 'contact', id: 'ct_1', signedInBy: 'link' }, null),
      approvalBy({ type: 'company_key', id: 'ck_1' }, at(5).toISOString()),
    ],
    ...{ reviewAt: at(6), pausedAt: at(7), firstReadAt: at(8) },
  } satisfies Partial<AccessRequest>;

  test.each(['company', 'investor'] as const)(
    'a request isn’t added while its %s is suspended',
    async (kind) => {
      const { company, investor } = await addPair(repositories);
      const owner = kind === 'company' ? { companyId: company.id } : { investorId: investor.id };
      await repositories.directory.suspend(owner, at(), anEntry());
      const request = anAccessRequest({ company, investor });
      const adding = addRequests(repositories, request);
      await expect(adding).rejects.toMatchObject({ code: 'company_not_found' });
      expect(await find(request.id)).toBeNull();
    },
  );

  describe('reads', () => {
    test('simultaneous look-ups each return the request that they asked for', async () => {
      const added = await Promise.all(Array.from({ length: 10 }, () => addRequest()));
      const requests = added.map(({ request }) => request);
      const ids = [freshId('ar'), ...requests.map(({ id }) => id)];
      const found = await Promise.all([...ids, ...ids].map(find));
      expect(found).toEqual([null, ...requests, null, ...requests]);
    });

    test('a pending, a granted and a declined request are read back with every field', async () => {
      const { request: pending } = await addRequest({
        requestedScopes: ['sources:read', 'metrics:read', 'accounts:read'],
        purpose: 'Quarterly reporting: “résumé” 📈',
        createdAt: at(123),
      });
      expect(await find(pending.id)).toEqual(pending);
      expect(await transact((transaction) => transaction.lock(freshId('ar')))).toBeNull();
      const pair = await addPair(repositories);
      const first = declined(anAccessRequest(pair, { createdAt: at(1) }));
      const second = { ...approved(anAccessRequest(pair, { createdAt: at(2) })), ...limited };
      await addRequests(repositories, first, second);
      expect(await find(first.id)).toEqual(first);
      expect(await find(second.id)).toEqual(second);
      const event = createAccessEvent(freshId('evt'), second, operator, at(9));
      const saved = { ...second, pendingTerms: null, approvals: [] };
      await transact(async (transaction) => {
        await transaction.addEvent(event, null);
        await transaction.save(saved);
        expect(await transaction.lock(second.id)).toEqual(saved);
      });
      expect(await repositories.accessEvents.history(second.id)).toContainEqual(event);
    });

    test('requests are listed newest first, for one investor, one company or all', async () => {
      const pair = await addPair(repositories);
      const otherInvestor = await addInvestor(repositories);
      const otherCompany = await addCompany(repositories);
      const old = declined(anAccessRequest(pair, { createdAt: at(1) }));
      const foreign = anAccessRequest({ ...pair, investor: otherInvestor }, { createdAt: at(2) });
      const elsewhere = anAccessRequest({ ...pair, company: otherCompany }, { createdAt: at(3) });
      const newest = anAccessRequest(pair, { createdAt: at(4) });
      await addRequests(repositories, newest, old, elsewhere, foreign);
      const { investor, company } = pair;
      expect(await list({ investorId: investor.id })).toEqual([newest, elsewhere, old]);
      expect(await list({ companyId: company.id })).toEqual([newest, foreign, old]);
      expect(await list({ investorId: investor.id, companyId: company.id })).toEqual([newest, old]);
      const own = [old, foreign, elsewhere, newest].map(({ id }) => id);
      const all = await list({});
      expect(all.filter(({ id }) => own.includes(id))).toEqual([newest, elsewhere, foreign, old]);
    });

    test('a list contains up to the requested number of requests, and can be filtered by current status', async () => {
      const investor = await addInvestor(repositories);
      const make = async (createdAt: Date, overrides: Partial<AccessRequest> = {}) => {
        const company = await addCompany(repositories);
        return anAccessRequest({ investor, company }, { createdAt, ...overrides });
      };
      const oldest = await make(at(1));
      const middle = await make(at(2));
      const over = await make(at(3), { deadlineAt: at(9) });
      const newest = declined(await make(at(4)));
      await addRequests(repositories, oldest, middle, over, newest);
      const investorId = investor.id;
      expect(await list({ investorId, limit: 2 })).toEqual([newest, over]);
      expect(await list({ investorId, status: 'pending', limit: 1 })).toEqual([middle]);
      expect(await list({ investorId, status: 'pending' })).toEqual([middle, oldest]);
      expect(await list({ investorId, status: 'expired' })).toEqual([over]);
      expect(await list({ investorId, status: 'expired', now: at(8) })).toEqual([]);
    });

    test('requests of the same instant are sorted by id, and a page can begin after any request in either direction', async () => {
      const investor = await addInvestor(repositories);
      const requests: AccessRequest[] = [];
      for (const instant of [1, 2, 2, 2, 3]) {
        const company = await addCompany(repositories);
        requests.push(anAccessRequest({ investor, company }, { createdAt: at(instant) }));
      }
      await addRequests(repositories, ...requests);
      const newestFirst = requests.toReversed();
      const page = (filter: Partial<ListedRequests>) =>
        list({ investorId: investor.id, limit: 2, ...filter });
      for (const [index, { createdAt, id }] of newestFirst.entries()) {
        const place = { instant: createdAt, id };
        const older = newestFirst.slice(index + 1);
        expect(await page({ olderThan: place })).toEqual(older.slice(0, 2));
        expect(await page({ olderThan: place, isOldestFirst: true })).toEqual(
          older.toReversed().slice(0, 2),
        );
        const newer = newestFirst.slice(0, index);
        expect(await page({ newerThan: place })).toEqual(newer.slice(0, 2));
        expect(await page({ newerThan: place, isOldestFirst: true })).toEqual(
          newer.toReversed().slice(0, 2),
        );
      }
      const places = newestFirst.map(({ createdAt, id }) => ({ instant: createdAt, id }));
      const [first = null, , third = null] = places;
      expect(await page({ olderThan: first, newerThan: third })).toEqual([newestFirst[1]]);
      expect(await page({ isOldestFirst: true })).toEqual(requests.slice(0, 2));
      expect(await page({ olderThan: third, status: 'declined' })).toEqual([]);
    });
  });

  describe('due deadlines and notices', () => {
    // These deadlines are long before all others, so no other test's request is due.
    const past = (milliseconds: number) => new Date(Date.UTC(1990, 0, 1) + milliseconds);

    async function addWithDeadline(deadlineAt: Date, make = (request: AccessRequest) => request) {
      const request = make(anAccessRequest(await addPair(repositories)));
      await addRequests(repositories, { ...request, deadlineAt });
      return request.id;
    }

    test('open requests past their deadline are listed, oldest deadline first', async () => {
      const grant = (request: AccessRequest) => ({ ...approved(request), expiresAt: past(10) });
      const second = await addWithDeadline(past(20));
      const first = await addWithDeadline(past(10), grant);
      const third = await addWithDeadline(past(30));
      await addWithDeadline(past(31));
      await addWithDeadline(past(15), declined);
      const { accessRequests } = repositories;
      const list = (milliseconds: number, limit: number, after: Cursor | null = null) =>
        accessRequests.listPastDeadline({ now: past(milliseconds), after, limit });
      expect(await list(9, 10)).toEqual([]);
      const all = [
        { instant: past(10), id: first },
        { instant: past(20), id: second },
        { instant: past(30), id: third },
      ];
      expect(await list(30, 10)).toEqual(all);
      expect(await list(30, 2)).toEqual(all.slice(0, 2));
      expect(await list(30, 2, { instant: past(20), id: second })).toEqual(all.slice(2));
      expect(await list(29, 2, { instant: past(20), id: second })).toEqual([]);
    });

    test('grants whose notice of expiry is due are listed, earliest notice first', async () => {
      const addWithNotice = (expiringAt: Date | null) =>
        addWithDeadline(past(40), (request) => ({ ...approved(request), expiringAt }));
      const second = await addWithNotice(past(6));
      const first = await addWithNotice(past(5));
      await addWithNotice(past(7));
      await addWithNotice(null);
      const { accessRequests } = repositories;
      const list = (milliseconds: number, after: Cursor | null = null) =>
        accessRequests.listExpiring({ now: past(milliseconds), after, limit: 10 });
      expect(await list(4)).toEqual([]);
      const both = [
        { instant: past(5), id: first },
        { instant: past(6), id: second },
      ];
      expect(await list(6)).toEqual(both);
      expect(await list(6, both[0])).toEqual(both.slice(1));
    });
  });

  test('a grant is listed when its review is due, and stays listed for its company until its next change', async () => {
    const past = (milliseconds: number) => new Date(Date.UTC(1980, 0, 1) + milliseconds);
    const { accessRequests } = repositories;
    const company = await addCompany(repositories);
    const add = async (overrides: Partial<AccessRequest>) => {
      const investor = await addInvestor(repositories);
      const request = { ...approved(anAccessRequest({ investor, company })), ...overrides };
      await addRequests(repositories, request);
      return {
        id: request.id,
        listed: {
          accessRequest: request,
          investor: { id: investor.id, name: investor.name },
          isInPortfolio: false,
        },
      };
    };
    const second = await add({ reviewAt: past(6) });
    const first = await add({ reviewAt: past(5) });
    await add({ reviewAt: past(7) });
    const due = (after: Cursor | null, limit = 10) =>
      accessRequests.listToReview({ now: past(6), after, limit });
    const both = [
      { instant: past(5), id: first.id },
      { instant: past(6), id: second.id },
    ] as const;
    expect(await due(null)).toEqual(both);
    expect(await due(both[0])).toEqual([both[1]]);
    expect(await due(null, 1)).toEqual([both[0]]);
    const asked = { lastEventType: 'access_request.review_due' } as const;
    const late = await add({ ...asked, decidedAt: at(3) });
    const early = await add({ ...asked, decidedAt: at(2) });
    await add({ ...asked, deadlineAt: at(9) });
    await add({ ...asked, status: 'revoked' });
    const inReview = (limit: number, companyId = company.id) =>
      accessRequests.listInReview({ companyId, now: at(9), limit });
    expect(await inReview(10)).toEqual([early.listed, late.listed]);
    expect(await inReview(1)).toEqual([early.listed]);
    expect(await inReview(10, freshId('co'))).toEqual([]);
  });

  test('a company requires one approval until its rule is saved, with an entry in the settings log', async () => {
    const { approvalRules, settingsChanges } = repositories;
    const [company, other] = [await addCompany(repositories), await addCompany(repositories)];
    const requires = async ({ id }: Company) => [
      await approvalRules.find(id),
      await transact((transaction) => transaction.requiresTwoApprovals(id)),
    ];
    expect(await requires(company)).toEqual([1, false]);
    for (const required of [2, 1, 2] as const) {
      const type = 'company.approval_rule_changed' as const;
      const entry = { ...anEntry(), type, companyId: company.id };
      await approvalRules.save(company.id, required, null, entry);
      expect(await requires(company)).toEqual([required, required === 2]);
      const owner = { companyId: company.id };
      const entries = await settingsChanges.list({ owner, before: null, limit: 9 });
      expect(entries).toContainEqual(entry);
    }
    expect(await requires(other)).toEqual([1, false]);
  });

  test('requests that a sandbox company must answer are listed oldest first', async () => {
    const company = await addCompany(repositories, { environment: 'test' });
    const ending = await addCompany(repositories, { environment: 'test' });
    const live = await addCompany(repositories, { environment: 'live' });
    async function add(to: Company, change: (request: AccessRequest) => AccessRequest) {
      const investor = await addInvestor(repositories, { environment: to.environment });
      const request = change(anAccessRequest({ investor, company: to }));
      await addRequests(repositories, request);
      return request.id;
    }
    const from = (milliseconds: number) => (request: AccessRequest) => ({
      ...request,
      createdAt: at(milliseconds),
    });
    const amended = (request: AccessRequest): AccessRequest => ({
      ...approved(request),
      pendingScopes: ['accounts:read'],
    });
    const late = await add(company, from(5));
    const early = await add(company, from(-5));
    const addition = await add(company, amended);
    const ofTerms = await add(company, (request) => ({
      ...approved(request),
      pendingTerms: noLimits,
    }));
    const decided = await add(ending, approved);
    await add(ending, (request) => ({ ...approved(request), decidedAt: at(1001) }));
    await add(company, approved);
    await add(company, declined);
    await add(ending, (request) => request);
    await add(live, (request) => request);
    const list = (limit: number) =>
      repositories.accessRequests.listToAnswer({
        answering: [company.id, live.id],
        ending: [ending.id, live.id],
        decidedBy: at(1000),
        limit,
      });
    expect(await list(10)).toEqual([early, addition, ofTerms, decided, late]);
    expect(await list(2)).toEqual([early, addition]);
  });

  describe('a transaction', () => {
    test('commits all its writes and returns the result of its callback', async () => {
      const { request } = await addRequest();
      const next = approved(request);
      const event = createAccessEvent(freshId('evt'), next, operator, at(9));
      const answer = await transact(async (transaction) => {
        await transaction.lock(request.id);
        await transaction.save(next);
        await transaction.addEvent(event, null);
        return 'answered';
      });
      expect(answer).toBe('answered');
      expect(await find(request.id)).toEqual(next);
      expect(await repositories.accessEvents.history(request.id)).toContainEqual(event);
    });

    test('finds the next event of a request after a given event, and skips notices of expiry', async () => {
      const { request } = await addRequest();
      const { request: other } = await addRequest();
      const types = ['created', 'expiring', 'approved', 'review_due', 'approval_added'];
      const [created, notice, next, ...others] = types.map((type) => ({
        ...createAccessEvent(freshId('evt'), request, operator, at(9)),
        type: `access_request.${type}` as AccessEvent['type'],
      })) as [AccessEvent, AccessEvent, AccessEvent, ...AccessEvent[]];
      const foreign = createAccessEvent(freshId('evt'), other, operator, at(9));
      const find = (id: string, version: string) =>
        transact(async (transaction) => {
          await transaction.lock(id);
          return transaction.findChange(id, version);
        });
      await transact(async (transaction) => {
        for (const event of [created, foreign, notice, ...others])
          await transaction.addEvent(event, null);
      });
      expect(await find(request.id, versionOf(created.id))).toBeNull();
      await transact((transaction) => transaction.addEvent(next, null));
      expect(await find(request.id, versionOf(created.id))).toEqual(next);
      for (const [id, version] of [
        [request.id, versionOf(next.id)],
        [request.id, 'none'],
        [other.id, versionOf(created.id)],
        [request.id, versionOf(foreign.id)],
      ] as const) {
        expect(await find(id, version)).toBeNull();
      }
    });

    test('rolls back all its writes if its callback throws an error, and rejects with that error', async () => {
      const { request, ...pair } = await addRequest();
      const second = declined(anAccessRequest(pair, { createdAt: at(5) }));
      const event = createAccessEvent(freshId('evt'), second, operator, at(9));
      const failure = new Error('no');
      const work = transact(async (transaction) => {
        await transaction.save(declined(request));
        await transaction.add(second);
        await transaction.addEvent(event, null);
        throw failure;
      });
      await expect(work).rejects.toBe(failure);
      expect(await find(request.id)).toEqual(request);
      expect(await find(second.id)).toBeNull();
      expect(await repositories.accessEvents.history(second.id)).toEqual([]);
    });

    test('sees its own writes', async () => {
      const { request, investor, company } = await addRequest();
      const next = declined(request);
      const second = anAccessRequest({ investor, company }, { createdAt: at(5) });
      await transact(async (transaction) => {
        await transaction.save(next);
        expect(await transaction.lock(request.id)).toEqual(next);
        expect(await transaction.add(second)).toBe(true);
        expect(await transaction.lockNewest(investor.id, company.id)).toEqual(second);
      });
    });

    test('rejects if it saves a request that doesn’t exist', async () => {
      const missing = anAccessRequest(await addPair(repositories));
      await expect(transact((transaction) => transaction.save(missing))).rejects.toThrow();
    });

    test.each(['lock', 'lockNewest'] as const)(
      'blocks other changes of a request that it locks with %s',
      async (method) => {
        const { request, investor, company } = await addRequest();
        const append = (letter: string) =>
          transact(async (transaction) => {
            const locked =
              method === 'lock'
                ? await transaction.lock(request.id)
                : await transaction.lockNewest(investor.id, company.id);
            if (locked === null) throw new Error('the request is gone');
            await transaction.save({ ...locked, reason: `${locked.reason ?? ''}${letter}` });
          });
        const letters = [...'abcdefgh'];
        await Promise.all(letters.map(append));
        const reason = (await find(request.id))?.reason ?? '';
        expect([...reason].toSorted()).toEqual(letters);
      },
    );

    test('can lock several requests, oldest first, and skips unknown and ended requests', async () => {
      const late = await addRequest({ createdAt: at(2) });
      const early = await addRequest({ createdAt: at(1) });
      const ended = declined(anAccessRequest(await addPair(repositories)));
      await addRequests(repositories, ended);
      const ids = [late.request.id, freshId('ar'), ended.id, early.request.id];
      const locked = await transact((transaction) => transaction.lockAvailable(ids));
      expect(locked).toEqual([early.request, late.request]);
    });
  });

  test('the newest request of an investor to a company is the last one created, even if it has ended', async () => {
    const pair = await addPair(repositories);
    const newest = () =>
      transact((transaction) => transaction.lockNewest(pair.investor.id, pair.company.id));
    expect(await newest()).toBeNull();
    const [first, second, third] = [1, 2, 3].map((milliseconds) =>
      anAccessRequest(pair, { createdAt: at(milliseconds) }),
    ) as [AccessRequest, AccessRequest, AccessRequest];
    for (const request of [declined(first), declined(second), third]) {
      await addRequests(repositories, request);
      expect(await newest()).toEqual(request);
    }
  });

  describe('a second open request of an investor to the same company', () => {
    test.each([
      ['pending', (request: AccessRequest) => request],
      ['approved', approved],
    ])(
      'isn’t added while the first request is %s, and the transaction can continue',
      async (_status, make) => {
        const pair = await addPair(repositories);
        const first = make(anAccessRequest(pair));
        await addRequests(repositories, first);
        const second = anAccessRequest(pair, { createdAt: at(5) });
        const event = createAccessEvent(freshId('evt'), first, operator, at(9));
        await transact(async (transaction) => {
          expect(await transaction.add(second)).toBe(false);
          expect(await transaction.lock(first.id)).toEqual(first);
          await transaction.addEvent(event, null);
        });
        expect(await find(second.id)).toBeNull();
        expect(await repositories.accessEvents.history(first.id)).toContainEqual(event);
      },
    );

    test('is added if the first request has ended', async () => {
      const { request, ...pair } = await addRequest();
      const second = anAccessRequest(pair, { createdAt: at(5) });
      await transact(async (transaction) => {
        await transaction.save({ ...request, status: 'expired' });
        expect(await transaction.add(second)).toBe(true);
      });
      expect(await find(second.id)).toEqual(second);
    });

    test('is added by only one of several simultaneous transactions', async () => {
      const pair = await addPair(repositories);
      const requests = Array.from({ length: 10 }, () => anAccessRequest(pair));
      const added = await Promise.all(
        requests.map((request) => transact((transaction) => transaction.add(request))),
      );
      expect(added.filter(Boolean)).toHaveLength(1);
      const listed = await list({ investorId: pair.investor.id });
      expect(listed).toEqual([requests[added.indexOf(true)]]);
    });
  });

  describe('the completion of an idempotency claim', () => {
    test('is rolled back with the transaction', async () => {
      const { request, investor } = await addRequest();
      const claim = aClaim(investor);
      await repositories.idempotencyKeys.claim(claim);
      const work = transact(async (transaction) => {
        await transaction.completeClaim(claim, 'existing', request.id);
        throw new Error('no');
      });
      await expect(work).rejects.toThrow('no');
      const repeated = await repositories.idempotencyKeys.claim(
        aClaim(investor, { key: claim.key }),
      );
      expect(repeated.state).toBe('in_flight');
    });

    test('rejects and writes nothing if another process has taken over the claim', async () => {
      const pair = await addPair(repositories);
      const claim = aClaim(pair.investor);
      await repositories.idempotencyKeys.claim(claim);
      const successor = aClaim(pair.investor, {
        key: claim.key,
        claimedAt: claim.leasedUntil,
      });
      expect(await repositories.idempotencyKeys.claim(successor)).toEqual({ state: 'claimed' });
      const request = anAccessRequest(pair);
      const work = transact(async (transaction) => {
        await transaction.add(request);
        await transaction.completeClaim(claim, 'created', request.id);
      });
      await expect(work).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
      expect(await find(request.id)).toBeNull();
    });
  });
});
