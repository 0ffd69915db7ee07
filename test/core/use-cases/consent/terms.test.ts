import { describe, expect, test } from 'vitest';
import type { AccessRequest, CatalogueCode, InvestorCaller, TermsInput } from '#core';
import { importLines, sampleData } from '../../../support/fixtures.ts';
import { payloadOf } from '../../../support/receipt-chain.ts';
import { recordsIn } from '../../../support/records-in.ts';
import { arrTerms } from '../../builders.ts';
import {
  aNewcomer,
  createWorld,
  day,
  expectRefusal,
  inTransactions,
  later,
  newcomerIn,
  start,
  type World,
} from '../../world.ts';

const cash = { metricKeys: ['cash_balance'] };
const cashTerms = arrTerms(cash);
const october = { historyFrom: '2026-10-31' };
const once = { use: 'once' } as const;

async function asking(terms: TermsInput | null = null, world = createWorld()) {
  const { newcomer, caller, companyId } = await newcomerIn(world);
  await importLines(world.operator, sampleData(companyId));
  const company = await world.admitCompany(companyId);
  const ask = async (more: object = {}) =>
    world.callers.requestAccess(caller, { companyId, scopes: ['metrics:read'], terms, ...more });
  const { accessRequest } = await ask();
  const { id } = accessRequest;
  const approve = async (more: object = {}) =>
    (await world.companies.approveRequest(company, { id, ...more })).accessRequest;
  const metrics = async (by: InvestorCaller = caller) =>
    (await world.callers.readLatestMetrics(by, { companyId })).map(({ key }) => key);
  return { world, newcomer, caller, companyId, company, id, accessRequest, ask, approve, metrics };
}

const typesIn = async (world: World) =>
  (await world.eventTypes()).filter((type) => type !== 'company_data.updated');

const outcomesOf = async ({ callers }: World, caller: InvestorCaller) =>
  recordsIn(await callers.listAccessRecords(caller)).map(({ outcome }) => outcome);

describe('a request under terms', () => {
  test('stores its terms, and covers another request only within them', async () => {
    const { accessRequest, ask, id } = await asking({ metricKeys: ['cash_balance', 'arr', 'arr'] });
    expect(accessRequest.requestedTerms).toEqual(arrTerms({ metricKeys: ['arr', 'cash_balance'] }));
    for (const terms of [cash, { metricKeys: ['arr'], ...once }]) {
      expect(await ask({ terms })).toMatchObject({ outcome: 'existing', accessRequest: { id } });
    }
    for (const terms of [null, {}, october]) {
      const refusal = await expectRefusal(ask({ terms }), 'scope_conflict', 'narrower');
      expect(refusal.nextStep).toBe('amend terms');
    }
  });

  test('isn’t repeated by the same idempotency key with other terms', async () => {
    const { ask } = await asking(cash);
    const idempotencyKey = 'key-1';
    await ask({ idempotencyKey });
    expect(await ask({ idempotencyKey })).toMatchObject({ replayed: true });
    await expectRefusal(ask({ idempotencyKey, terms: null }), 'idempotency_key_reused');
  });

  test('can be widened by terms alone, but not by nothing', async () => {
    const { world, caller, company, id, approve } = await asking(cash);
    await approve();
    const amend = async (input: object) =>
      world.callers.amendAccessRequest(caller, { id, ...input });
    await expectRefusal(amend({}), 'missing_scopes');
    await expectRefusal(amend({ terms: null }), 'missing_scopes');
    const unchanged = await amend({ terms: { ...cash, ...once } });
    expect(unchanged).toMatchObject({ amendments: 0, pendingTerms: null });
    const amended = await amend({ terms: { metricKeys: null }, purpose: 'The audit' });
    expect(amended).toMatchObject({ approvedTerms: cashTerms, pendingPurpose: 'The audit' });
    expect(amended.pendingTerms).toEqual(arrTerms({ metricKeys: null }));
    expect((await world.companies.listWaitingRequests(company)).items).toHaveLength(1);
  });

  test('isn’t widened by a decision that was made before the addition', async () => {
    const { world, caller, company, id, approve } = await asking(cash);
    const { version: before } = await world.stored(id);
    const { version } = await approve({ version: before });
    await world.callers.amendAccessRequest(caller, { id, terms: { metricKeys: null } });
    await expectRefusal(approve(), 'request_changed');
    await expectRefusal(approve({ version }), 'request_changed');
    expect(await approve({ version: before })).toMatchObject({ approvedTerms: cashTerms });
    const { companies } = world;
    await companies.narrowRequest(company, { id, terms: october });
    expect((await world.stored(id)).pendingTerms).not.toBeNull();
    const { version: now } = await world.stored(id);
    const declined = await companies.declineRequest(company, { id, version: now });
    expect(declined.accessRequest).toMatchObject({ status: 'approved', pendingTerms: null });
    expect(declined.accessRequest.approvedTerms).toEqual({ ...cashTerms, ...october });
  });
});

describe('a narrower grant', () => {
  test('applies to the next read, and its repetition changes nothing', async () => {
    const { world, caller, company, companyId, id, approve, metrics } = await asking();
    const { version } = await approve();
    expect(await metrics()).toEqual(['cash_balance', 'headcount']);
    const cached = async () => (await world.readers.readLatestMetrics(caller, { companyId })).name;
    const name = await cached();
    const narrow = async (input: object) =>
      (await world.companies.narrowRequest(company, { id, ...input })).accessRequest;
    const narrowed = await narrow({ terms: cash, version });
    expect(narrowed.approvedTerms).toEqual(cashTerms);
    expect(await metrics()).toEqual(['cash_balance']);
    expect(await cached()).not.toBe(name);
    const one = world.callers.readLatestMetric(caller, { companyId, key: 'headcount' });
    await expectRefusal(one, 'access_required', 'leave out the metric headcount');
    expect((await outcomesOf(world, caller))[0]).toBe('access_required');
    expect(await narrow({ terms: cash, version })).toEqual(narrowed);
    expect(await narrow({})).toEqual(narrowed);
    await expectRefusal(narrow({ terms: october, version }), 'request_changed');
    await expectRefusal(narrow({ terms: { metricKeys: ['arr'] } }), 'invalid_decision');
    expect(await typesIn(world)).toEqual(['created', 'approved', 'narrowed']);
  });

  test('is narrowed even for the rest of a walk that has already begun', async () => {
    const { world, caller, company, companyId, id, approve } = await asking();
    await approve();
    const keys = ['headcount', 'cash_balance'];
    const walked = world.callers.walkMetricHistories(caller, { companyIds: [companyId], keys });
    await walked.next();
    await world.companies.narrowRequest(company, { id, terms: october });
    world.clock.set(later(1_001));
    const { value } = await walked.next();
    const { history } = value as unknown as { history: { period: string }[] };
    expect(history.map(({ period }) => period)).toEqual(['2026-10-31']);
  });
});

describe('a paused grant', () => {
  test('refuses reads until it continues, but stays approved', async () => {
    const { world, caller, company, companyId, id, approve, metrics } = await asking();
    await approve();
    const { companies, callers } = world;
    const read = () => callers.readPortfolioCompany(caller, { companyId });
    const paused = await companies.pauseRequest(company, { id });
    expect(paused.accessRequest).toMatchObject({ status: 'approved', pausedAt: start });
    await expectRefusal(metrics(), 'access_paused');
    expect(await read()).toMatchObject({ access: 'approved', isAccessPaused: true });
    expect(await companies.pauseRequest(company, { id })).toEqual(paused);
    await companies.resumeRequest(company, { id });
    expect(await metrics()).toHaveLength(2);
    expect(await read()).toMatchObject({ isAccessPaused: false, grant: { terms: null } });
    expect(await outcomesOf(world, caller)).toEqual(['allowed', 'access_paused']);
    await companies.pauseRequest(company, { id });
    await companies.revokeRequest(company, { id });
    expect(await read()).toMatchObject({ access: 'revoked', isAccessPaused: false });
  });

  test('is changed only once if an operator repeats the call without a version', async () => {
    const { world, id, approve } = await asking();
    await approve();
    const { operator } = world;
    for (const _ of [1, 2]) await operator.pauseAccessRequest({ id });
    for (const _ of [1, 2]) await operator.resumeAccessRequest({ id });
    for (const _ of [1, 2]) await operator.narrowAccessRequest({ id, terms: cash });
    const types = ['created', 'approved', 'paused', 'resumed', 'narrowed'];
    expect(await typesIn(world)).toEqual(types);
  });
});

describe('a grant for a single use', () => {
  test('stores its first read and ends a day later, and ignores refused reads', async () => {
    const { world, caller, companyId, id, approve, metrics } = await asking({ ...once, ...cash });
    await approve();
    const other = { companyId, key: 'headcount' };
    await expectRefusal(world.callers.readLatestMetric(caller, other), 'access_required');
    await expectRefusal(world.callers.readSources(caller, { companyId }), 'access_required');
    expect((await world.stored(id)).firstReadAt).toBeNull();
    world.clock.set(later(day));
    await metrics();
    const used = await world.stored(id);
    expect(used).toMatchObject({ firstReadAt: later(day), deadlineAt: later(2 * day) });
    world.clock.set(later(2 * day - 1));
    await metrics();
    expect(await world.stored(id)).toEqual(used);
    world.clock.set(later(2 * day));
    await expectRefusal(metrics(), 'access_required', 'expired');
    expect(await typesIn(world)).toEqual(['created', 'approved', 'first_read']);
    const { events } = await world.operator.listAccessEvents();
    expect(events.at(-1)).toMatchObject({ actor: { type: 'investor', id: caller.investorId } });
  });

  test('stores one of several simultaneous first reads, also by a contact', async () => {
    const { world, newcomer, id, approve, metrics } = await asking(once);
    await approve();
    const person = await world.admitInvestorContact(newcomer.investor.id, undefined, 'viewer');
    const reads = [undefined, person, undefined].map((by) => metrics(by));
    expect((await Promise.all(reads)).map(({ length }) => length)).toEqual([2, 2, 2]);
    expect((await typesIn(world)).filter((type) => type === 'first_read')).toHaveLength(1);
    expect((await world.stored(id)).deadlineAt).toEqual(later(day));
  });

  test('stores the first reads of one call one after another, even after a failure', async () => {
    let running = 0;
    let most = 0;
    let failsNext = false;
    const world = createWorld(({ accessRequests }) => ({
      accessRequests: {
        ...accessRequests,
        async transact(credential, work) {
          running += 1;
          most = Math.max(most, running);
          const isFailing = failsNext;
          failsNext = false;
          return accessRequests
            .transact(credential, (inside) =>
              isFailing ? Promise.reject(new Error('the database is down')) : work(inside),
            )
            .finally(() => {
              running -= 1;
            });
        },
      },
    }));
    const { id, approve, metrics } = await asking(once, world);
    await approve();
    failsNext = true;
    const reads = await Promise.allSettled([metrics(), metrics(), metrics()]);
    expect(reads.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(most).toBe(1);
    expect((await world.stored(id)).firstReadAt).toEqual(start);
  });

  /** Changes the grant between the decision about the first read and the storing of that read. */
  const meanwhile = {
    'was revoked': [{ status: 'revoked', expiringAt: null }, 'access_revoked'],
    'was paused': [{ pausedAt: start }, 'access_paused'],
    'lost the scope': [{ approvedScopes: ['sources:read'] }, 'access_required'],
    'has expired': [{ deadlineAt: start }, 'access_required'],
    'lost its terms': [{ approvedTerms: null }, null],
  } satisfies Record<string, [Partial<AccessRequest>, CatalogueCode | null]>;
  test.each(Object.entries(meanwhile))(
    'isn’t used if it %s meanwhile',
    async (_how, [change, code]) => {
      let isChanging = false;
      const world = createWorld(
        inTransactions((transaction) => ({
          async lock(id) {
            const request = await transaction.lock(id);
            if (request === null || !isChanging) return request;
            isChanging = false;
            await transaction.save({ ...request, ...change });
            return { ...request, ...change };
          },
        })),
      );
      const { id, approve, metrics } = await asking(once, world);
      await approve();
      isChanging = true;
      if (code === null) expect(await metrics()).toHaveLength(2);
      else await expectRefusal(metrics(), code);
      expect((await world.stored(id)).firstReadAt).toBeNull();
      expect(await typesIn(world)).toEqual(['created', 'approved']);
    },
  );
});

describe('a company that requires two approvals', () => {
  async function ofTwo(terms: TermsInput | null = null) {
    const given = await asking(terms);
    const { world, company, companyId, id } = given;
    expect(await world.companies.readApprovalsRequired(company)).toBe(1);
    await world.companies.setApprovalsRequired(company, { required: 2 });
    expect(await world.companies.readApprovalsRequired(company)).toBe(2);
    const contact = await world.admitContact(companyId, 'cfo@harbor.example', 'admin');
    const second = async (more: object = {}) =>
      (await world.companies.approveRequest(contact, { id, ...more })).accessRequest;
    return { ...given, contact, second };
  }

  test('opens access with the second approval, and ignores every repetition', async () => {
    const { world, company, contact, id, approve, second, metrics } = await ofTwo(cash);
    const { version } = await world.stored(id);
    const first = await approve({ version });
    expect(first).toMatchObject({ status: 'pending', version, approvedScopes: [] });
    expect(await approve({ version })).toEqual(first);
    await expectRefusal(metrics(), 'access_pending');
    const done = await second({ version, reason: 'Both agree.' });
    expect(done).toMatchObject({ status: 'approved', approvedTerms: cashTerms });
    expect(await metrics()).toEqual(['cash_balance']);
    expect([await approve({ version }), await second({ version })]).toEqual([done, done]);
    expect(await typesIn(world)).toEqual(['created', 'approval_added', 'approved']);
    const { items } = await world.operator.listReceipts({ id });
    const [, , receipt] = items.map(payloadOf);
    const at = { created_at: start.toISOString() };
    expect(receipt?.approvals).toEqual([
      { type: 'company_key', id: company.credentialId, ...at },
      { type: 'contact', id: contact.contactId, signed_in_by: 'link', ...at },
    ]);
  });

  test('gets this rule from an operator or from an admin among its contacts', async () => {
    const { world, companyId, approve } = await ofTwo();
    const { companies, operator } = world;
    const approver = await world.admitContact(companyId, 'cto@harbor.example', 'approver');
    const byApprover = async () => companies.setApprovalsRequired(approver, { required: 1 });
    await expectRefusal(byApprover, 'insufficient_role');
    const set = (id: string, required: number) =>
      operator.setApprovalsRequired({ companyId: id, required });
    await expectRefusal(set(companyId, 3), 'invalid_parameter');
    await expectRefusal(set('co_x', 1), 'company_not_found');
    for (const _ of [1, 2]) await set(companyId, 1);
    const { items } = await operator.listSettingsChanges({ companyId });
    const changes = items.filter(({ type }) => type === 'company.approval_rule_changed');
    expect(changes.map((each) => each.changes)).toEqual([
      { approvalsRequired: { from: 2, to: 1 } },
      { approvalsRequired: { from: 1, to: 2 } },
    ]);
    expect(await approve()).toMatchObject({ status: 'approved', approvals: [] });
  });
});

describe('the receipts of a request under terms', () => {
  test('have version 3, with these members in this order', async () => {
    const { world, newcomer, caller, company, companyId, id, approve } = await asking(cash);
    await approve({ expiresAt: later(30 * day) });
    await world.companies.pauseRequest(company, { id });
    await world.callers.amendAccessRequest(caller, { id, terms: { metricKeys: null } });
    const history = await world.callers.readAccessRequestHistory(caller, { id });
    const { items } = await world.operator.listReceipts({ id });
    const own = { metric_keys: ['cash_balance'], history_from: null, use: 'ongoing' };
    const [paused, amended] = items.slice(2).map((item) => JSON.stringify(payloadOf(item)));
    const payload = {
      v: 3,
      receipt_id: items[2]?.id,
      previous_receipt_id: items[1]?.id,
      event_id: history[2]?.id,
      event_type: 'access_request.paused',
      issued_at: start.toISOString(),
      environment: 'live',
      access_request_id: id,
      data_subject: { id: companyId, name: newcomer.company.name },
      data_recipient: { id: caller.investorId, name: newcomer.investor.name },
      purpose: null,
      requested_scopes: ['metrics:read'],
      approved_scopes: ['metrics:read'],
      requested_terms: own,
      approved_terms: own,
      paused_at: start.toISOString(),
      valid_until: later(30 * day).toISOString(),
      status: 'approved',
      actor: { type: 'company_key', id: company.credentialId },
      approvals: [],
      reason: null,
    };
    expect(paused).toBe(JSON.stringify(payload));
    expect(JSON.parse(amended ?? '')).toMatchObject({ requested_terms: null, approved_terms: own });
  });

  test('have version 1 if the grant has no terms, even after a pause', async () => {
    const { world, company, id, approve } = await asking();
    await approve();
    await world.companies.pauseRequest(company, { id });
    await world.companies.resumeRequest(company, { id });
    const { items } = await world.operator.listReceipts({ id });
    const [, approved, paused, resumed] = items.map(payloadOf);
    expect([approved?.v, paused?.v, resumed?.v]).toEqual([1, 3, 1]);
    expect(paused).toMatchObject({ requested_terms: null, approved_terms: null, approvals: [] });
    expect(resumed).not.toHaveProperty('approvals');
  });
});

test('the company is reminded once of an old grant, by mail to contacts who can decide and in a list', async () => {
  const { world, key, companyId } = await aNewcomer();
  const company = await world.admitCompany(companyId);
  for (const role of ['viewer', 'admin'] as const) {
    const email = `${role}@harbor.example`;
    await world.operator.addContact({ companyId, email, role, invite: false });
  }
  const chosen = await world.anotherInvestor(companyId);
  const request = await world.request(chosen.key, companyId);
  await world.companies.approveRequest(company, { id: request.id, expiresAt: later(300 * day) });
  const { id } = await world.request(key, companyId);
  await world.companies.approveRequest(company, { id });
  while ((await world.background.queueMails()) > 0);
  await world.background.claimMails(10);
  const toReview = async () =>
    (await world.companies.listGrantsToReview(company)).map((each) => each.accessRequest.id);
  world.clock.set(later(90 * day - 1));
  expect([await world.background.announceReviews(), await toReview()]).toEqual([0, []]);
  world.clock.set(later(90 * day));
  const runs = [1, 2, 3].map(() => world.background.announceReviews());
  expect((await Promise.all(runs)).toSorted()).toEqual([0, 0, 1]);
  expect(await toReview()).toEqual([id]);
  await world.background.queueMails();
  const mails = await world.background.claimMails(10);
  expect(mails).toMatchObject([{ kind: 'review_due', to: 'admin@harbor.example' }]);
  await world.companies.extendRequest(company, { id, expiresAt: later(400 * day) });
  expect(await toReview()).toEqual([]);
});
