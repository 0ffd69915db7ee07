import { beforeEach, describe, expect, test } from 'vitest';
import {
  createAccessEvent,
  type FeedEvent,
  isWanted,
  operator,
  type Repositories,
  type WebhookDelivery,
  type WebhookEndpoint,
} from '#core';
import {
  aCompany,
  addCompany,
  addPair,
  addRequests,
  aMetric,
  anAccessRequest,
  anEndpoint,
  anEntry,
  approved,
  at,
  decimal,
  freshId,
  metricRecord,
  pushWithEvents,
} from './builders.ts';
import { contract } from './contract.ts';

type Pair = Awaited<ReturnType<typeof addPair>>;

const hour = 3_600_000;

/** Adds an access request of the pair. It ends at once, so the next one is possible. */
async function addEvent(
  { accessRequests }: Repositories,
  pair: Pair,
  createdAt = at(),
): Promise<string> {
  const request = anAccessRequest(pair, { status: 'expired', createdAt });
  const event = createAccessEvent(freshId('evt'), request, operator, createdAt);
  await accessRequests.transact(null, async (transaction) => {
    await transaction.add(request);
    await transaction.addEvent(event, null);
  });
  return event.id;
}

const plan = { isWanted, now: at(), limit: 100, maxWaiting: 100 };

export const webhooksContract = contract('webhooks', (repositories) => {
  const endpoints = () => repositories.webhookEndpoints;
  const deliveries = () => repositories.webhookDeliveries;
  let pair: Pair;

  const addEndpoint = async (overrides: Partial<WebhookEndpoint> = {}) => {
    const endpoint = anEndpoint({ owner: { companyId: pair.company.id }, ...overrides });
    expect(await endpoints().add(null, endpoint, 10, anEntry())).toBe(true);
    return endpoint;
  };
  /** Changes a metric of the pair's company, which makes one event about changed data. */
  const pushValue = (value: number) => {
    const metric = aMetric(pair.company, { rawValue: decimal(`${value}`) });
    return pushWithEvents(repositories, pair.company, [metricRecord(metric)]);
  };
  const listed = (endpointId: string) =>
    deliveries().list({ endpointId, state: null, before: null, limit: 100 });
  const claim = async (now = at(), until = at(hour)) =>
    deliveries().claim({ id: freshId('clm'), now, until, limit: 100, perOwner: 3 });
  const claimOf = async (endpointId: string, now = at(), until = at(hour)) => {
    const claims = await claim(now, until);
    for (const one of claims) if (one.endpointId !== endpointId) await deliveries().release(one);
    return claims.find((one) => one.endpointId === endpointId);
  };
  const withDelivery = async () => {
    const endpoint = await addEndpoint();
    const eventId = await addEvent(repositories, pair);
    await deliveries().queue(plan);
    return { endpoint, eventId };
  };
  const settled = (delivery: WebhookDelivery, changes: Partial<WebhookDelivery>) => ({
    ...delivery,
    attempts: delivery.attempts + 1,
    ...changes,
  });
  const onlyDue = async (endpointId: string, now = at()) => {
    const [due, ...others] = await deliveries().listDue(endpointId, now, 10);
    expect(others).toEqual([]);
    if (due === undefined) throw new Error('nothing is due');
    return due;
  };

  beforeEach(async () => {
    pair = await addPair(repositories);
  });

  describe('endpoints', () => {
    test('are read back as they were added, and listed oldest first, for one owner or for all owners', async () => {
      const late = await addEndpoint({ createdAt: at(2), types: ['access_request.created'] });
      const early = await addEndpoint({ createdAt: at(1) });
      const owner = { investorId: pair.investor.id };
      const foreign = await addEndpoint({ owner, createdAt: at(3) });
      expect(await endpoints().find(late.id)).toEqual(late);
      expect(await endpoints().list({ companyId: pair.company.id })).toEqual([early, late]);
      expect(await endpoints().list(owner)).toEqual([foreign]);
      expect(await endpoints().list(null)).toEqual(expect.arrayContaining([early, late, foreign]));
    });

    test('are limited in number per owner, even if many are added at the same time', async () => {
      const owner = { investorId: pair.investor.id };
      const added = await Promise.all(
        Array.from({ length: 6 }, () => endpoints().add(null, anEndpoint({ owner }), 3, anEntry())),
      );
      expect(added.filter((isAdded) => isAdded)).toHaveLength(3);
      expect(await endpoints().list(owner)).toHaveLength(3);
    });

    test('can get a new URL and new event types as long as they aren’t removed', async () => {
      const endpoint = await addEndpoint();
      const values = { url: 'https://example.com/changed', types: ['source.failed'] } as const;
      const changed = { id: endpoint.id, ...values };
      expect(await endpoints().change(null, changed, anEntry())).toBe(true);
      expect(await endpoints().find(endpoint.id)).toEqual({ ...endpoint, ...values });
      await endpoints().remove(null, endpoint.id, at(), anEntry());
      expect(await endpoints().change(null, changed, anEntry())).toBe(false);
    });

    test('can get new secrets only if their stored secret hasn’t changed in the meantime', async () => {
      const endpoint = await addEndpoint();
      const rotated = {
        ...endpoint,
        secret: 'whsec_BBBB',
        previousSecret: endpoint.secret,
        previousSecretUntil: at(hour),
      };
      expect(await endpoints().saveSecrets(null, rotated, endpoint.secret, anEntry())).toBe(true);
      expect(await endpoints().find(endpoint.id)).toEqual(rotated);
      expect(await endpoints().saveSecrets(null, endpoint, endpoint.secret, anEntry())).toBe(false);
      expect(await endpoints().find(endpoint.id)).toEqual(rotated);
    });

    test('can’t be found after their removal, and get no deliveries', async () => {
      const { endpoint } = await withDelivery();
      expect(await endpoints().remove(null, endpoint.id, at(), anEntry())).toBe(true);
      expect(await endpoints().remove(null, endpoint.id, at(), anEntry())).toBe(false);
      expect(await endpoints().find(endpoint.id)).toBeNull();
      expect(await endpoints().list({ companyId: pair.company.id })).toEqual([]);
      expect(await endpoints().saveSecrets(null, endpoint, endpoint.secret, anEntry())).toBe(false);
      await addEvent(repositories, pair);
      await deliveries().queue(plan);
      expect(await claimOf(endpoint.id)).toBeUndefined();
    });

    test('are deleted with their deliveries some time after their removal', async () => {
      const { endpoint } = await withDelivery();
      await endpoints().remove(null, endpoint.id, at(), anEntry());
      while ((await deliveries().deleteOld(at(-hour), 100)) > 0);
      expect(await listed(endpoint.id)).toEqual([]);
    });

    test('get no deliveries while they are disabled, and their pending deliveries fail', async () => {
      const { endpoint, eventId } = await withDelivery();
      await endpoints().disable(endpoint.id, 'gone', at(5), anEntry());
      expect(await endpoints().find(endpoint.id)).toEqual({
        ...endpoint,
        disabledAt: at(5),
        disabledReason: 'gone',
      });
      await addEvent(repositories, pair);
      await deliveries().queue(plan);
      expect(await listed(endpoint.id)).toMatchObject([
        { eventId, state: 'failed', nextAttemptAt: null },
      ]);
    });

    test('get new events after they are enabled again', async () => {
      const { endpoint, eventId } = await withDelivery();
      await endpoints().disable(endpoint.id, 'gone', at(5), anEntry());
      await addEvent(repositories, pair);
      await deliveries().queue(plan);
      expect(await endpoints().enable(null, endpoint.id, anEntry())).toBe(true);
      expect(await endpoints().find(endpoint.id)).toEqual(endpoint);
      const next = await addEvent(repositories, pair);
      await deliveries().queue(plan);
      const found = await listed(endpoint.id);
      expect(found).toHaveLength(2);
      expect(found).toContainEqual(expect.objectContaining({ eventId, state: 'failed' }));
      expect(found).toContainEqual(expect.objectContaining({ eventId: next, state: 'pending' }));
      expect(await claimOf(endpoint.id)).toBeDefined();
    });

    test('can’t be enabled if they were removed or don’t exist', async () => {
      const { endpoint } = await withDelivery();
      await endpoints().remove(null, endpoint.id, at(), anEntry());
      expect(await endpoints().enable(null, endpoint.id, anEntry())).toBe(false);
      expect(await endpoints().enable(null, freshId('we'), anEntry())).toBe(false);
      expect(await endpoints().find(endpoint.id)).toBeNull();
    });
  });

  describe('deliveries', () => {
    test('are created once for each event and each endpoint that subscribes to the event', async () => {
      const wanting = await addEndpoint({ owner: { investorId: pair.investor.id } });
      const picky = await addEndpoint({ types: ['access_request.revoked'] });
      const foreign = await addEndpoint({ owner: { companyId: (await other()).company.id } });
      const eventId = await addEvent(repositories, pair);
      await Promise.all([1, 2, 3].map(() => deliveries().queue(plan)));
      while ((await deliveries().queue(plan)) > 0);
      expect(await listed(wanting.id)).toEqual([
        {
          endpointId: wanting.id,
          eventId,
          eventType: 'access_request.created',
          state: 'pending',
          attempts: 0,
          nextAttemptAt: at(),
          lastAttemptAt: null,
          lastStatus: null,
          lastFailure: null,
          createdAt: at(),
        },
      ]);
      expect(await listed(picky.id)).toEqual([]);
      expect(await listed(foreign.id)).toEqual([]);
    });

    test('are created by the next run of the queue if one run fails', async () => {
      const endpoint = await addEndpoint();
      const eventId = await addEvent(repositories, pair);
      const broken = { ...plan, isWanted: () => fail() };
      await expect(deliveries().queue(broken)).rejects.toThrow('in the middle');
      await deliveries().queue(plan);
      expect(await listed(endpoint.id)).toMatchObject([{ eventId }]);
    });

    test('contain the event with the names of the company and the investor', async () => {
      const { endpoint, eventId } = await withDelivery();
      const { event } = await onlyDue(endpoint.id);
      expect(event).toMatchObject({
        id: eventId,
        companyName: pair.company.name,
        investorName: pair.investor.name,
      } satisfies Partial<FeedEvent>);
    });

    test('contain no event if the company has left the investor’s portfolio', async () => {
      const owner = { investorId: pair.investor.id };
      const endpoint = await addEndpoint({ owner });
      const ofCompany = await addEndpoint();
      await addEvent(repositories, pair);
      await deliveries().queue(plan);
      await repositories.directory.removeFromPortfolio(
        pair.investor.id,
        pair.company.id,
        anEntry(),
      );
      expect(await onlyDue(endpoint.id)).toMatchObject({ event: null });
      expect((await onlyDue(ofCompany.id)).event).not.toBeNull();
    });

    test('are returned in the order of their due times, up to a limit', async () => {
      const { endpoint, eventId } = await withDelivery();
      const second = await addEvent(repositories, pair);
      await deliveries().queue({ ...plan, now: at(-hour) });
      const third = await addEvent(repositories, pair);
      await deliveries().queue({ ...plan, now: at(hour) });
      const ids = async (now: Date, limit: number) =>
        (await deliveries().listDue(endpoint.id, now, limit)).map(
          ({ delivery }) => delivery.eventId,
        );
      expect(await ids(at(), 10)).toEqual([second, eventId]);
      expect(await ids(at(), 1)).toEqual([second]);
      expect(await ids(at(hour), 10)).toEqual([second, eventId, third]);
    });

    test('are dropped, oldest first, if too many data events of one company wait for an endpoint', async () => {
      const endpoint = await addEndpoint();
      const other = await addEndpoint({ types: ['company_data.updated'] });
      const consent = await addEvent(repositories, pair);
      await deliveries().queue(plan);
      for (const value of [1, 2, 3]) await pushValue(value);
      const queue = () => deliveries().queue({ ...plan, now: at(1), maxWaiting: 2 });
      while ((await queue()) > 0);
      const waiting = (await listed(endpoint.id)).filter(({ state }) => state === 'pending');
      const dataEvents = (await listed(other.id)).map(({ eventId }) => eventId);
      expect(dataEvents).toHaveLength(2);
      expect(waiting.map(({ eventId }) => eventId).toSorted()).toEqual(
        [...dataEvents, consent].toSorted(),
      );
      const newest = await repositories.accessEvents.findLast({ companyId: pair.company.id });
      expect(dataEvents).toContain(newest?.id);
      expect(await endpoints().find(endpoint.id)).toEqual({ ...endpoint, droppedDataEvents: 1 });
      expect(await endpoints().find(other.id)).toEqual({ ...other, droppedDataEvents: 1 });
    });

    test('about data don’t delay events about access requests or other companies’ events', async () => {
      const { investor } = pair;
      const quiet = await addCompany(repositories);
      await repositories.directory.addToPortfolio(investor, quiet, at(), anEntry());
      const endpoint = await addEndpoint({ owner: { investorId: investor.id } });
      const granted = approved(anAccessRequest(pair, { requestedScopes: ['metrics:read'] }));
      await addRequests(repositories, granted);
      for (const value of [1, 2, 3, 4, 5]) await pushValue(value);
      while ((await deliveries().queue(plan)) > 0);
      expect(await listed(endpoint.id)).toHaveLength(5);
      const own = await addEvent(repositories, pair);
      const others = await addEvent(repositories, { investor, company: quiet });
      while ((await deliveries().queue({ ...plan, now: at(hour) })) > 0);
      const due = await deliveries().listDue(endpoint.id, at(hour), 3);
      expect(
        due
          .map(({ delivery }) => delivery.eventId)
          .slice(1)
          .toSorted(),
      ).toEqual([own, others].toSorted());
      expect(due[0]?.delivery.eventType).toBe('company_data.updated');
    });

    test('keep the first stored outcome of an attempt, and ignore a second outcome', async () => {
      const { endpoint } = await withDelivery();
      const { delivery } = await onlyDue(endpoint.id);
      const failed = settled(delivery, {
        nextAttemptAt: at(hour),
        lastAttemptAt: at(7),
        lastStatus: 500,
      });
      await deliveries().settle(delivery, failed);
      await deliveries().settle(delivery, settled(delivery, { lastFailure: 'timeout' }));
      expect(await listed(endpoint.id)).toEqual([failed]);
      const delivered = settled(failed, { state: 'delivered', nextAttemptAt: null });
      await deliveries().settle(failed, delivered);
      expect(await listed(endpoint.id)).toEqual([delivered]);
      await deliveries().settle(delivered, settled(delivered, { lastStatus: 404 }));
      expect(await listed(endpoint.id)).toEqual([delivered]);
    });

    test('are listed newest first in pages, and can be filtered by state', async () => {
      const endpoint = await addEndpoint();
      const ids: string[] = [];
      for (const minute of [1, 2, 3]) ids.push(await addEvent(repositories, pair, at(minute)));
      await deliveries().queue(plan);
      const [first] = await deliveries().listDue(endpoint.id, at(), 1);
      if (first === undefined) throw new Error('nothing is due');
      const aside = settled(first.delivery, { state: 'failed', nextAttemptAt: null });
      await deliveries().settle(first.delivery, aside);
      const list = async (
        query: Partial<Parameters<Repositories['webhookDeliveries']['list']>[0]>,
      ) =>
        (
          await deliveries().list({
            endpointId: endpoint.id,
            state: null,
            before: null,
            limit: 10,
            ...query,
          })
        ).map(({ eventId }) => eventId);
      expect(await list({})).toEqual(ids.toReversed());
      expect(await list({ limit: 1 })).toEqual([ids[2]]);
      expect(await list({ before: { instant: at(2), id: ids[1] ?? '' } })).toEqual([ids[0]]);
      expect(await list({ state: 'failed' })).toEqual([aside.eventId]);
    });

    test('are deleted long after they have ended, but not while they are pending', async () => {
      const { endpoint } = await withDelivery();
      await addEvent(repositories, pair);
      await deliveries().queue(plan);
      const [first] = await deliveries().listDue(endpoint.id, at(), 1);
      if (first === undefined) throw new Error('nothing is due');
      const { delivery } = first;
      const ended = settled(delivery, { state: 'delivered', nextAttemptAt: null });
      await deliveries().settle(delivery, ended);
      await deliveries().deleteOld(at(), 100);
      expect(await listed(endpoint.id)).toHaveLength(2);
      await deliveries().deleteOld(at(1), 100);
      expect(await listed(endpoint.id)).toMatchObject([{ state: 'pending' }]);
    });

    test('are counted in the backlog as long as they wait', async () => {
      const { waiting } = await deliveries().readBacklog(at());
      const { endpoint } = await withDelivery();
      const backlog = await deliveries().readBacklog(at());
      expect(backlog).toMatchObject({ waiting: waiting + 1, oldestUnconsumedAt: null });
      expect(Number(backlog.oldestAt)).toBeLessThanOrEqual(Number(at()));
      const { delivery } = await onlyDue(endpoint.id);
      const ended = settled(delivery, { state: 'failed', nextAttemptAt: null });
      await deliveries().settle(delivery, ended);
      expect(await deliveries().readBacklog(at())).toMatchObject({ waiting });
    });

    test('are part of the backlog with their due time until a worker claims them', async () => {
      // This time is long before other tests' deliveries are due.
      const due = at(-1_000 * hour);
      const { id } = await addEndpoint();
      await addEvent(repositories, pair);
      await deliveries().queue({ ...plan, now: due });
      expect(await deliveries().readBacklog(at())).toMatchObject({ dueSince: due });
      const before = new Date(due.getTime() - 1);
      expect(await deliveries().readBacklog(before)).toMatchObject({ dueSince: null });
      await claimOf(id);
      expect(await deliveries().readBacklog(at())).not.toMatchObject({ dueSince: due });
    });

    test('are counted in the backlog even before they are created, with the time of their oldest event', async () => {
      while ((await deliveries().queue(plan)) > 0);
      await addEvent(repositories, pair, at(3));
      await addEvent(repositories, pair, at(5));
      expect(await deliveries().readBacklog(at())).toMatchObject({ oldestUnconsumedAt: at(3) });
      while ((await deliveries().queue(plan)) > 0);
      expect(await deliveries().readBacklog(at())).toMatchObject({ oldestUnconsumedAt: null });
    });
  });

  describe('a worker’s claim of an endpoint', () => {
    test('succeeds for only one of many workers if the endpoint has a due delivery', async () => {
      const { endpoint } = await withDelivery();
      const all = (await Promise.all([1, 2, 3].map(() => claim()))).flat();
      expect(all.filter(({ endpointId }) => endpointId === endpoint.id)).toHaveLength(1);
    });

    test('is limited to a share of each owner’s endpoints, counted over all workers', async () => {
      const owner = { investorId: pair.investor.id };
      const ofInvestor = await addEndpoint({ owner });
      const ofCompany = await Promise.all([1, 2, 3, 4, 5].map(() => addEndpoint()));
      await addEvent(repositories, pair);
      await deliveries().queue(plan);
      const ids = new Set(ofCompany.map(({ id }) => id));
      const claims = await claim();
      const first = claims.filter(({ endpointId }) => ids.has(endpointId));
      expect(first).toHaveLength(3);
      expect(claims.map(({ endpointId }) => endpointId)).toContain(ofInvestor.id);
      expect((await claim()).filter(({ endpointId }) => ids.has(endpointId))).toEqual([]);
      const [ended] = first;
      if (ended === undefined) throw new Error('nothing was claimed');
      await endpoints().remove(null, ended.endpointId, at(), anEntry());
      const next = (await claim()).filter(({ endpointId }) => ids.has(endpointId));
      expect(next).toHaveLength(1);
      expect(first.map(({ endpointId }) => endpointId)).not.toContain(next[0]?.endpointId);
      const afterAKill = (await claim(at(hour), at(2 * hour))).map(({ endpointId }) => endpointId);
      expect(afterAKill.filter((id) => ids.has(id))).toHaveLength(3);
    });

    test('isn’t possible before a delivery is due', async () => {
      const { endpoint } = await withDelivery();
      expect(await claimOf(endpoint.id, at(-1))).toBeUndefined();
    });

    test('ends with its lease, and can’t be released afterwards', async () => {
      const { endpoint } = await withDelivery();
      const first = await claimOf(endpoint.id);
      expect(await claimOf(endpoint.id, at(hour - 1))).toBeUndefined();
      const second = await claimOf(endpoint.id, at(hour), at(2 * hour));
      expect(second).toBeDefined();
      if (first !== undefined) await deliveries().release(first);
      expect(await claimOf(endpoint.id, at(2 * hour - 1))).toBeUndefined();
    });

    test('is possible again after its release, once the next delivery is due', async () => {
      const { endpoint } = await withDelivery();
      const first = await claimOf(endpoint.id);
      const { delivery } = await onlyDue(endpoint.id);
      const later = settled(delivery, { nextAttemptAt: at(1000) });
      await deliveries().settle(delivery, later);
      if (first !== undefined) await deliveries().release(first);
      expect(await claimOf(endpoint.id, at(999))).toBeUndefined();
      const second = await claimOf(endpoint.id, at(1000));
      expect(second).toBeDefined();
      await deliveries().settle(later, settled(later, { state: 'delivered', nextAttemptAt: null }));
      if (second !== undefined) await deliveries().release(second);
      expect(await claimOf(endpoint.id, at(24 * hour))).toBeUndefined();
    });

    test('loses no deliveries that are queued during the claim', async () => {
      const { endpoint } = await withDelivery();
      const first = await claimOf(endpoint.id);
      const { delivery } = await onlyDue(endpoint.id);
      await addEvent(repositories, pair);
      await deliveries().queue(plan);
      expect(await claimOf(endpoint.id)).toBeUndefined();
      const delivered = settled(delivery, { state: 'delivered', nextAttemptAt: null });
      await deliveries().settle(delivery, delivered);
      if (first !== undefined) await deliveries().release(first);
      expect(await claimOf(endpoint.id)).toBeDefined();
    });
  });

  describe('a repetition of deliveries', () => {
    const setAside = async () => {
      const { endpoint, eventId } = await withDelivery();
      const first = await claimOf(endpoint.id);
      const { delivery } = await onlyDue(endpoint.id);
      const aside = settled(delivery, { state: 'failed', nextAttemptAt: null });
      await deliveries().settle(delivery, aside);
      if (first !== undefined) await deliveries().release(first);
      expect(await claimOf(endpoint.id, at(24 * hour))).toBeUndefined();
      return { endpoint, eventId };
    };

    test('includes all failed deliveries of an endpoint', async () => {
      const { endpoint, eventId } = await setAside();
      expect(await deliveries().replay(null, endpoint.id, null, at(9))).toBe(1);
      expect(await listed(endpoint.id)).toMatchObject([
        { eventId, state: 'pending', attempts: 0, nextAttemptAt: at(9) },
      ]);
      expect(await claimOf(endpoint.id, at(9))).toBeDefined();
      expect(await deliveries().replay(null, endpoint.id, null, at(9))).toBe(0);
    });

    test('includes the delivery of a given event unless it is pending', async () => {
      const { endpoint, eventId } = await setAside();
      expect(await deliveries().replay(null, endpoint.id, freshId('evt'), at())).toBe(0);
      expect(await deliveries().replay(null, endpoint.id, eventId, at())).toBe(1);
      expect(await deliveries().replay(null, endpoint.id, eventId, at())).toBe(0);
    });
  });

  async function other(): Promise<Pair> {
    const company = aCompany();
    await repositories.directory.addCompany(company, anEntry());
    return { investor: pair.investor, company };
  }
});

function fail(): never {
  throw new Error('in the middle');
}
