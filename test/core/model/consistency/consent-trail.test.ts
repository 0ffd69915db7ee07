import { describe, expect, test } from 'vitest';
import { type ConsentTrail, operator } from '#core';
import { findInconsistency } from '../../../../core/model/consistency/consent-trail.ts';
import { createWorld, day, later } from '../../world.ts';

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
  const world = createWorld();
  const { key, company, caller } = await world.newcomer();
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

describe('a request changed only by use cases', () => {
  test.each([null, 'revoked', 'withdrawn', 'expired'] as const)(
    'matches its history if a grant was amended and extended, and its end is “%s”',
    async (end) => {
      const trail = await aGrant(end);
      expect(find(trail)).toBeNull();
      expect(trail.events.length).toBeGreaterThan(7);
    },
  );

  test('matches its history if a pending request was declined', async () => {
    const world = createWorld();
    const { key, company } = await world.newcomer();
    const { id } = await world.request(key, company.id);
    await world.operator.declineAccessRequest({ id, reason: 'No.' });
    expect(find(await trailOf(world, id))).toBeNull();
  });

  test('matches its history if it is a second request from the same millisecond', async () => {
    const world = createWorld();
    const { key, company } = await world.newcomer();
    const first = await world.request(key, company.id);
    await world.operator.declineAccessRequest({ id: first.id });
    const { id, createdAt } = await world.request(key, company.id);
    expect(createdAt).not.toEqual(first.createdAt);
    expect(find(await trailOf(world, id))).toBeNull();
  });
});

const trail = await aGrant();

describe('the comparison of a request with its history', () => {
  const { request, events, receipts } = trail;
  const at = (index: number, change: object) =>
    events.map((event, place) => (place === index ? { ...event, ...change } : event));
  const receiptAt = (index: number, change: object) =>
    receipts.map((receipt, place) => (place === index ? { ...receipt, ...change } : receipt));
  const telling = (index: number, change: object) =>
    at(index, { accessRequest: { ...events[index]?.accessRequest, ...change } });

  test.each([
    ['a request without an event', { events: [] }, 'it has no event'],
    [
      'a grant without an approval',
      { request: { ...request, status: 'approved', approvedScopes: ['accounts:read'] } },
      /differs from its last event evt_\w+: approvedScopes$/,
    ],
    [
      'a request with another end than in its last event',
      { request: { ...request, deadlineAt: later(999 * day) } },
      ': deadlineAt',
    ],
    [
      'an event of another investor',
      { events: at(2, { investorId: 'inv_other' }) },
      'names another investor or company',
    ],
    ['an event of another company', { events: at(0, { companyId: 'co_other' }) }, 'names another'],
    ['a missing first event', { events: events.slice(1) }, "isn't that of a new request"],
    ['a first event of another type', { events: at(0, { type: 'access_request.amended' }) }, 'new'],
    [
      'a first event with an earlier creation of the request',
      { events: telling(0, { createdAt: later(-day) }) },
      ': createdAt',
    ],
    [
      'a first event with another version',
      { events: telling(0, { version: 'ver_other' }) },
      ': version',
    ],
    ['a missing event', { events: events.toSpliced(2, 1) }, /can't follow|isn't what/],
    [
      'an event that is older than the previous event',
      { events: at(1, { createdAt: later(-day) }) },
      'older than',
    ],
    [
      'an approval with a wrong time of the decision',
      { events: telling(2, { decidedAt: new Date('2026-01-01') }) },
      ': decidedAt',
    ],
    [
      'an approval of a scope that wasn’t requested',
      { events: telling(2, { approvedScopes: ['accounts:read'] }) },
      "can't follow",
    ],
    ['an approval without an end', { events: telling(2, { expiresAt: null }) }, "can't follow"],
    [
      'a later event with another version',
      { events: telling(4, { version: 'ver_other' }) },
      ': version',
    ],
    ['an amendment that is not counted', { events: telling(3, { amendments: 1 }) }, ': amendments'],
    [
      'a second event of the type created',
      { events: at(1, { type: 'access_request.created' }) },
      'it is a second created event',
    ],
    [
      'an event without requested scopes',
      { events: telling(2, { requestedScopes: null }) },
      ': requestedScopes',
    ],
    ['an event without a receipt', { receipts: receipts.toSpliced(3, 1) }, 'has no receipt'],
    ['a receipt of another event', { receipts: receiptAt(1, { id: 'rcpt_other' }) }, ': id'],
    [
      'a chain of receipts that forks',
      { receipts: receiptAt(2, { previousId: null }) },
      ': previousId',
    ],
    [
      'a receipt with another time than its event',
      { receipts: receiptAt(2, { issuedAt: later(day) }) },
      'issuedAt',
    ],
    [
      'a receipt of another request',
      { receipts: receiptAt(2, { accessRequestId: 'ar_other' }) },
      ': accessRequestId',
    ],
    [
      'a receipt of another company',
      { receipts: receiptAt(0, { companyId: 'co_x' }) },
      'companyId',
    ],
    [
      'a receipt of the other environment',
      { receipts: receiptAt(1, { environment: 'test' }) },
      ': environment',
    ],
    [
      'a receipt with a signature from before the change',
      { receipts: receiptAt(1, { signedAt: later(-day) }) },
      'was signed before it was issued',
    ],
  ])('reports a problem for %s', (_what, change: object, problem) => {
    expect(find({ ...trail, ...change })).toMatch(problem);
  });

  test('reports a problem for a change after the end of the grant', async () => {
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

  test('reports no problem if an event is a second older than the previous event, because clocks can differ', () => {
    const behind = at(0, { createdAt: later(1_000) });
    const late = telling(0, { createdAt: later(1_000) });
    const event = { ...behind[0], accessRequest: late[0]?.accessRequest };
    const shifted = [event, ...events.slice(1)] as typeof events;
    // The only problem left is that the second event has another creation time.
    expect(find({ ...trail, events: shifted })).toMatch(/: createdAt$/);
  });
});
