import {
  AccessError,
  createAccessEvent,
  type Events,
  type FeedEvent,
  PolledEventFeed,
  type Ports,
} from '#core';
import { aCall } from '../../../support/call.ts';
import { createWorld, type Newcomer, newcomerIn } from '../../world.ts';

export type Take = (count: number) => Promise<FeedEvent[]>;

/** Creates a world that counts its database queries and can make them fail. */
export function createFeedWorld(limits = { perOwner: 5, total: 10 }) {
  const broken = new Set<'read' | 'facts' | 'keys' | 'last'>();
  const asked = { reads: 0, last: 0, facts: 0, keys: 0 };
  /** A read waits for `question` before its query, and for `answer` before it returns the result. */
  const slow: Record<'question' | 'answer', Promise<void> | null> = {
    question: null,
    answer: null,
  };
  const check = (part: 'read' | 'facts' | 'keys' | 'last') => {
    if (broken.has(part)) throw new AccessError('service_unavailable');
  };
  const world = createWorld((ports) => {
    const accessEvents: Ports['accessEvents'] = {
      ...ports.accessEvents,
      async read(query) {
        asked.reads += 1;
        check('read');
        const { question, answer } = slow;
        await question;
        const events = await ports.accessEvents.read(query);
        await answer;
        return events;
      },
      async lastPosition() {
        asked.last += 1;
        check('last');
        return ports.accessEvents.lastPosition();
      },
    };
    const readValidity = (keys: Ports['apiKeys'] | Ports['companyKeys']) => async (id: string) => {
      asked.keys += 1;
      check('keys');
      return keys.readValidity(id);
    };
    return {
      accessEvents,
      eventFeed: new PolledEventFeed(accessEvents, limits),
      accessFacts: {
        ...ports.accessFacts,
        async read(question) {
          asked.facts += 1;
          check('facts');
          return ports.accessFacts.read(question);
        },
      },
      apiKeys: { ...ports.apiKeys, readValidity: readValidity(ports.apiKeys) },
      companyKeys: { ...ports.companyKeys, readValidity: readValidity(ports.companyKeys) },
    };
  });
  const eventFeed = world.ports.eventFeed as PolledEventFeed;
  async function companyCaller(companyId: string) {
    const { secret, key } = await world.operator.createCompanyKey({ companyId });
    const admission = await world.companies.admitCompany(secret, 1, aCall);
    if ('refusal' in admission) throw admission.refusal;
    return { caller: admission.caller, keyId: key.id };
  }

  /** Creates and withdraws access requests. Each of them makes two events. */
  async function happen({ caller, companyId }: Newcomer, times = 1): Promise<string[]> {
    for (let time = 0; time < times; time += 1) {
      const { accessRequest } = await world.callers.requestAccess(caller, {
        companyId,
        scopes: ['metrics:read'],
      });
      await world.callers.withdrawAccessRequest(caller, { id: accessRequest.id });
    }
    const { events } = await world.callers.readInvestorEvents(caller, { limit: 1000 });
    return events.map(({ id }) => id);
  }

  /** Makes many events of one access request, most of them in one transaction to save time. */
  async function flood({ caller, companyId }: Newcomer, count: number): Promise<void> {
    const scopes = ['metrics:read' as const];
    const { accessRequest } = await world.callers.requestAccess(caller, { companyId, scopes });
    const { accessRequests, clock, ids } = world.ports;
    const actor = { type: 'investor', id: caller.investorId } as const;
    await accessRequests.transact(null, async (transaction) => {
      for (let index = 0; index < count - 2; index += 1) {
        const event = createAccessEvent(ids.next('evt'), accessRequest, actor, clock.now());
        await transaction.addEvent(event, null);
      }
    });
    await world.callers.withdrawAccessRequest(caller, { id: accessRequest.id });
  }

  const watch = async (...asked: Parameters<typeof world.callers.watchInvestorEvents>) =>
    (await world.callers.watchInvestorEvents(...asked)).events;
  const watchCompany = async (...asked: Parameters<typeof world.companies.watchCompanyEvents>) =>
    (await world.companies.watchCompanyEvents(...asked)).events;

  return {
    ...world,
    watch,
    watchCompany,
    eventFeed,
    broken,
    slow,
    asked,
    companyCaller,
    happen,
    flood,
  };
}

export type FeedWorld = ReturnType<typeof createFeedWorld>;

/** Opens a stream after the first existing event, or from now on without events. */
export async function aReader(happened = 0) {
  const { world, newcomer } = await newcomerIn(createFeedWorld());
  const before = happened === 0 ? [] : await world.happen(newcomer, happened);
  const events = await world.watch(newcomer.caller, { after: before[0] });
  return { world, newcomer, before, events };
}

export function replace<Port extends object, Name extends keyof Port>(
  port: Port,
  name: Name,
  by: (method: Port[Name]) => Port[Name],
): void {
  port[name] = by(port[name]);
}

export const takeFrom =
  (events: Events['events']): Take =>
  async (count) => {
    const taken: FeedEvent[] = [];
    while (taken.length < count) {
      const { done, value } = await events.next();
      if (done) break;
      taken.push(value);
    }
    return taken;
  };

export const idsOf = (events: readonly FeedEvent[]) => events.map(({ id }) => id);

export async function arrivedAt(events: Events['events']): Promise<string[]> {
  const ids: string[] = [];
  for (let next = events.next(); !(await isWaiting(next)); next = events.next()) {
    const { done, value } = await next;
    if (done) break;
    ids.push(value.id);
  }
  return ids;
}

/** Waits until pending microtasks and ticks have run. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));

export async function isWaiting(next: Promise<unknown>): Promise<boolean> {
  const waits = Symbol('waits');
  await settle();
  return (await Promise.race([next, settle().then(() => waits)])) === waits;
}
