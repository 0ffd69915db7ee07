import { z } from 'zod';
import { authorize, coverageOf } from '../../model/consent/access-policy.ts';
import { grantableScopes } from '../../model/consent/scopes.ts';
import {
  companyOf,
  type DataFeedEvent,
  type FeedEvent,
  isRequestEvent,
  type RequestFeedEvent,
} from '../../model/events/access-event.ts';
import { narrowDataEvent } from '../../model/events/data-event.ts';
import { accessEventTypes, dataEventTypes } from '../../model/events/event-type.ts';
import type { CompanyCaller, ContactCaller, InvestorCaller } from '../../model/identity/caller.ts';
import { isKeyLive } from '../../model/identity/key-state.ts';
import type { Owner } from '../../model/identity/owner.ts';
import { requireLive } from '../../model/identity/require-live.ts';
import { parseInput } from '../../model/input.ts';
import type { Events, FeedWatcher } from '../../ports/events.ts';
import type { Ports } from '../../ports/index.ts';
import { readAccessFacts } from '../consent/gate.ts';
import { credentialOf } from '../sign-in/live-credential.ts';
import { dataScopesOf } from './cover-data-event.ts';
import { findPosition, noPosition, startOfFeed } from './feed-window.ts';
import { readEventsInput } from './read-events.ts';

const { after, types } = readEventsInput.shape;

const watchEventsInput = z.strictObject({ after, types });

export type WatchEventsInput = z.input<typeof watchEventsInput>;

/**
 * Streams the investor's events after the event `after`, or only new events. Each event is checked when it is sent: the
 * company must be in the portfolio, and a live grant must allow reading the data.
 *
 * @throws AccessError `event_expired`, `service_unavailable`. The stream fails with `invalid_api_key` when the key is
 *   revoked or expires.
 */
export const watchInvestorEvents =
  (ports: Ports) =>
  (caller: InvestorCaller, input: WatchEventsInput = {}, signal?: AbortSignal): Promise<Events> =>
    watch(ports, caller, { investorId: caller.investorId }, input, signal, {
      async authorise(event) {
        const facts = await readAccessFacts(ports, caller, companyOf(event));
        requireLive(facts.key, ports.clock.now());
        if (!facts.isInPortfolio) return null;
        if (isRequestEvent(event)) return event;
        const now = ports.clock.now();
        const { scopes, terms } = coverageOf(facts, now);
        const ofKey = scopes.filter((scope) => authorize(facts, { scope }, now).allowed);
        return narrowDataEvent(event, { scopes: ofKey, terms });
      },
      // The streams of a key share the result of `authorise`. An access token can have fewer scopes than its key, so
      // each stream removes the data that its token can't read.
      narrow: (event) =>
        isRequestEvent(event)
          ? event
          : narrowDataEvent(event, { scopes: dataScopesOf(caller.scopes), terms: null }),
    });

const watchTypesInput = watchEventsInput.pick({ after: true });

const watchTypes =
  <Event extends FeedEvent>(types: readonly Event['type'][]) =>
  (ports: Ports) =>
  async (
    caller: InvestorCaller,
    input: z.input<typeof watchTypesInput> = {},
    signal?: AbortSignal,
  ): Promise<Events<Event>> => {
    const options = { ...parseInput(watchTypesInput, input), types: [...types] };
    return watchInvestorEvents(ports)(caller, options, signal) as Promise<Events<Event>>;
  };

export const watchAccessRequests = watchTypes<RequestFeedEvent>(accessEventTypes);

export const watchCompanyData = watchTypes<DataFeedEvent>(dataEventTypes);

/**
 * Streams the events of the caller's company, like `watchInvestorEvents`. A contact's stream closes when the session
 * ends or the contact is removed.
 *
 * @throws AccessError `event_expired`, `service_unavailable`. The stream may fail with `invalid_api_key`.
 */
export const watchCompanyEvents =
  (ports: Ports) =>
  (
    caller: CompanyCaller | ContactCaller,
    input: WatchEventsInput = {},
    signal?: AbortSignal,
  ): Promise<Events> => {
    const { readKey } = credentialOf(ports, caller);
    return watch(ports, caller, { companyId: caller.companyId }, input, signal, {
      async authorise(event) {
        requireLive(await readKey(), ports.clock.now());
        return event;
      },
      narrow: (event) => event,
    });
  };

async function watch(
  ports: Ports,
  caller: InvestorCaller | CompanyCaller | ContactCaller,
  owner: Owner,
  input: WatchEventsInput,
  signal: AbortSignal | undefined,
  access: Pick<FeedWatcher, 'authorise' | 'narrow'>,
): Promise<Events> {
  const { after, types = null } = parseInput(watchEventsInput, input);
  const { accessEvents, clock, eventFeed } = ports;
  const { keyId, readKey } = credentialOf(ports, caller);
  // Uses all scopes, so that all keys of the owner share the result. `authorise` then decides for this key.
  const anyGrant = () => ({ scopes: grantableScopes, now: clock.now() });
  const watcher: FeedWatcher = {
    ...access,
    keyId,
    owner,
    types,
    after: after == null ? null : { id: after, position: await findPosition(ports, owner, after) },
    findLast: () => accessEvents.findLast(owner, anyGrant()),
    readAfter: (position, limit) =>
      accessEvents.read({
        reader: owner,
        after: position,
        since: position === noPosition ? startOfFeed(clock) : null,
        limit,
        data: anyGrant(),
      }),
    async isLive() {
      const key = await readKey();
      return key !== null && isKeyLive(key, clock.now());
    },
  };
  return eventFeed.open(watcher, signal);
}
