import { describe, expect, test } from 'vitest';
import { type ConsentTrail, operator } from '#core';
import { findInconsistency } from '../../../../core/model/consistency/consent-trail.ts';
import { aNewcomer, type createWorld, day, later } from '../../world.ts';

type World = ReturnType<typeof createWorld>;

async function trailOf({ ports }: World, id: string): Promise<ConsentTrail> {
  const pages = await Array.fromAsync(ports.consistency.walkConsents([id]));
  const [trail] = pages.flat();
  if (trail === undefined) throw new Error(`there is no ${id}`);
  return trail;
}

const find = ({ request, events, receipts }: ConsentTrail) =>
  findInconsistency(request, events, receipts);

/** Creates a grant with an event of each type that a grant can have, and returns its history. */
async function aGrant(end: 'revoked' | 'withdrawn' | 'expired' | null = null) {
  const { world, key, company, caller } = await aNewcomer();
  const { operator: acts, clock } = world;
  const { id } = await world.request(key, company.id, ['metrics:read']);
  await world.amend(key, id, ['sources:read'], 'Two of them.');
  const { version } = await world.stored(id);
  await acts.approveAccessRequest({
    id,
    version,
    scopes: ['metrics:read'],
    expiresAt: later(9 * day),
  });
  await world.amend(key, id, ['accounts:read']);
  const { version: amended } = await world.stored(id);
  await acts.declineAccessRequest({ id, version: amended, reason: 'Not these.' });
  clock.set(later(3 * day));
  await world.background.announceExpiringGrants();
  const { version: noticed } = await world.stored(id);
  await acts.extendAccessRequest({ id, version: noticed, expiresAt: later(90 * day) });
  await world.amend(key, id, ['accounts:read'], 'For the audit.');
  const { version: again } = await world.stored(id);
  await acts.approveAccessRequest({ id, version: again, expiresAt: later(80 * day) });
  if (end === 'revoked') await acts.revokeAccessRequest({ id, reason: 'Enough.' });
  if (end === 'withdrawn') await world.callers.withdrawAccessRequest(caller, { id });
  if (end === 'expired') {
    clock.set(later(81 * day));
    await world.background.expireAccessRequests();
  }
  return trailOf(world, id);
}

describe('an access request that only use cases have changed', () => {
  test.each([null, 'revoked', 'withdrawn', 'expired'] as const)(
    'matches its history if the grant was amended and extended (its last event: %s)',
    async (end) => {
      const trail = await aGrant(end);
      expect(find(trail)).toBeNull();
      expect(trail.events.length).toBeGreaterThan(7);
    },
  );

  test('matches its history after the company declined the pending request', async () => {
    const { world, key, company } = await aNewcomer();
    const { id } = await world.request(key, company.id);
    await world.operator.declineAccessRequest({ id, reason: 'No.' });
    expect(find(await trailOf(world, id))).toBeNull();
  });

  test('matches its history if it had terms, two approvals, pauses, a review and a first read', async () => {
    const { world, caller, companyId } = await aNewcomer();
    const { background, callers, companies, operator, clock } = world;
    await operator.setApprovalsRequired({ companyId, required: 2 });
    const people = [await world.admitCompany(companyId), await world.admitCompany(companyId)];
    const metricKeys = ['arr', 'cash'];
    const scopes = ['metrics:read' as const, 'sources:read' as const];
    const asked = { companyId, scopes, terms: { metricKeys: ['arr'] } };
    const { id } = (await callers.requestAccess(caller, asked)).accessRequest;
    await callers.amendAccessRequest(caller, { id, terms: { metricKeys } });
    const approve = async (terms = {}) => {
      const { version } = await world.stored(id);
      for (const one of people) await companies.approveRequest(one, { id, version, terms });
    };
    await approve();
    clock.set(later(90 * day));
    await background.announceReviews();
    await operator.narrowAccessRequest({ id, scopes: ['metrics:read'], terms: { use: 'once' } });
    await operator.pauseAccessRequest({ id });
    await operator.resumeAccessRequest({ id });
    await callers.amendAccessRequest(caller, { id, scopes: ['accounts:read'], terms: {} });
    await approve({ use: 'once', historyFrom: '2026-01-31' });
    await callers.readLatestMetrics(caller, { companyId });
    await callers.amendAccessRequest(caller, { id, terms: { use: 'ongoing' } });
    await approve();
    const whole = await trailOf(world, id);
    expect(find(whole)).toBeNull();
    const types = new Set(whole.events.map(({ type }) => type.replace('access_request.', '')));
    const all =
      'created amended approval_added approved review_due narrowed paused resumed first_read';
    expect([...types]).toEqual(all.split(' '));
    const without = whole.events.map((event) => ({
      ...event,
      accessRequest: { ...event.accessRequest, approvals: [] },
    }));
    const request = { ...whole.request, approvals: [] };
    expect(find({ ...whole, request, events: without })).toMatch('it has no approval');
  });

  test('matches its history if another request was created in the same millisecond', async () => {
    const { world, key, company } = await aNewcomer();
    const first = await world.request(key, company.id);
    await world.operator.declineAccessRequest({ id: first.id });
    const { id, createdAt } = await world.request(key, company.id);
    expect(createdAt).not.toEqual(first.createdAt);
    expect(find(await trailOf(world, id))).toBeNull();
  });
});

const trail = await aGrant();

describe('the comparison of an access request with its history', () => {
  const { request, events, receipts } = trail;
  const at = (index: number, change: object) =>
    events.map((event, place) => (place === index ? { ...event, ...change } : event));
  const receiptAt = (index: number, change: object) =>
    receipts.map((receipt, place) => (place === index ? { ...receipt, ...change } : receipt));
  const telling = (index: number, change: object) =>
    at(index, { accessRequest: { ...events[index]?.accessRequest, ...change } });

  const date = new Date('2026-01-01');
  test.each<[what: string, change: object, problem: string | RegExp]>([
    ['no event', { events: [] }, 'it has no event'],
    [
      'a grant without an approval',
      { request: { ...request, status: 'approved', approvedScopes: ['accounts:read'] } },
      /differs from its last event evt_\w+: approvedScopes$/,
    ],
    ['another end', { request: { ...request, deadlineAt: later(999 * day) } }, ': deadlineAt'],
    ['a missing first event', { events: events.slice(1) }, "isn't the creation of a request"],
    ['a missing event', { events: events.toSpliced(2, 1) }, /can't follow|doesn't match/],
    ['a missing receipt', { receipts: receipts.toSpliced(3, 1) }, 'has no receipt'],
  ])('reports a problem for a request with %s', (_what, change, problem) => {
    expect(find({ ...trail, ...change })).toMatch(problem);
  });

  test.each<[what: string, index: number, change: object, problem: string]>([
    ['of another investor', 2, { investorId: 'inv_other' }, 'names another investor or company'],
    ['of another company', 0, { companyId: 'co_other' }, 'names another'],
    [
      'that is first but has another type than created',
      0,
      { type: 'access_request.amended' },
      'creation',
    ],
    [
      'that is second but has the type created',
      1,
      { type: 'access_request.created' },
      'a second created event',
    ],
    ['that is older than the previous event', 1, { createdAt: later(-day) }, 'older than'],
  ])('reports a problem for an event %s', (_what, index, change, problem) => {
    expect(find({ ...trail, events: at(index, change) })).toMatch(problem);
  });

  test.each<[what: string, index: number, change: object, problem: string]>([
    ['another creation time', 0, { createdAt: later(-day) }, ': createdAt'],
    ['another version at the start', 0, { version: 'ver_other' }, ': version'],
    ['another version later', 4, { version: 'ver_other' }, ': version'],
    ['a wrong time of the decision', 2, { decidedAt: date }, ': decidedAt'],
    [
      'an approved scope that wasn’t requested',
      2,
      { approvedScopes: ['accounts:read'] },
      "can't f",
    ],
    ['an approval without an end', 2, { expiresAt: null }, "can't follow"],
    ['an amendment that isn’t counted', 3, { amendments: 1 }, ': amendments'],
    ['no requested scopes', 2, { requestedScopes: null }, ': requestedScopes'],
  ])(
    'reports a problem for an event whose copy of the request has %s',
    (_what, index, change, problem) => {
      expect(find({ ...trail, events: telling(index, change) })).toMatch(problem);
    },
  );

  test.each<[what: string, index: number, change: object, problem: string]>([
    ['of another event', 1, { id: 'rcpt_other' }, ': id'],
    ['that forks the chain', 2, { previousId: null }, ': previousId'],
    ['with another time than its event', 2, { issuedAt: later(day) }, 'issuedAt'],
    ['of another request', 2, { accessRequestId: 'ar_other' }, ': accessRequestId'],
    ['of another company', 0, { companyId: 'co_x' }, 'companyId'],
    ['of the other environment', 1, { environment: 'test' }, ': environment'],
    ['signed before the change', 1, { signedAt: later(-day) }, 'was signed before it was issued'],
  ])('reports a problem for a receipt %s', (_what, index, change, problem) => {
    expect(find({ ...trail, receipts: receiptAt(index, change) })).toMatch(problem);
  });

  test('reports a problem for an extension after the revocation of the grant', async () => {
    const ended = await aGrant('revoked');
    const [first] = ended.events;
    const last = ended.events.at(-1);
    if (first === undefined || last === undefined) throw new Error('it has events');
    const accessRequest = { ...last.accessRequest, status: 'approved' } as const;
    const again = {
      ...{ ...last, id: 'evt_again', actor: operator, accessRequest },
      type: 'access_request.extended',
    } as const;
    const forged = { ...ended, request: accessRequest, events: [...ended.events, again] };
    expect(find(forged)).toMatch('Cannot extend the access request');
  });

  test('accepts an event that is up to a second older than the previous event, because server clocks can differ', () => {
    const behind = at(0, { createdAt: later(1_000) });
    const late = telling(0, { createdAt: later(1_000) });
    const event = { ...behind[0], accessRequest: late[0]?.accessRequest };
    const shifted = [event, ...events.slice(1)] as typeof events;
    // The test changed the creation time in the first event, so the second event now differs.
    expect(find({ ...trail, events: shifted })).toMatch(/: createdAt$/);
  });
});
