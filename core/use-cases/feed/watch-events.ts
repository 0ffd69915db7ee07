import { z } from 'zod';
import { authorize } from '../../model/consent/access-policy.ts';
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
import { parseInput } from '../../model/input.ts';
import type { DataReader } from '../../ports/events.ts';
import type { Ports } from '../../ports/index.ts';
import { readAccessFacts } from '../consent/read-access-facts.ts';
import { credentialOf, requireLive } from '../sign-in/live-credential.ts';
import { dataScopesOf } from './cover-data-event.ts';
import { type EventIterator, EventStream, noPosition } from './event-stream.ts';
import { findPosition, readEventsInput } from './read-events.ts';
import { beforeFirstEvent } from './start-of-feed.ts';

const { after, types } = readEventsInput.shape;

const watchEventsInput = z.strictObject({ after, types });

export type WatchEventsInput = z.input<typeof watchEventsInput>;

/** The events of a reader as they happen. It must be brought to its end, by `return` or by the signal of its use case. */
export interface Events<Event extends FeedEvent = FeedEvent> {
  /** The event after which they begin. A reader that has got none goes on after it when it comes again. */
  readonly after: string;
  readonly events: EventIterator<Event>;
}

/**
 * What happens to the access requests of the caller's investor, and to data that it is granted, from the event `after` on,
 * else from now on. Each event is authorised as it is handed out: that of a company that is not in the portfolio then is
 * withheld, and of data what no grant covers then.
 *
 * @throws InputError, AccessError `event_expired`, `service_unavailable`; the stream ends with `invalid_api_key` when the
 *   key is revoked or expires
 */
export const watchInvestorEvents =
  (ports: Ports) =>
  (caller: InvestorCaller, input: WatchEventsInput = {}, signal?: AbortSignal): Promise<Events> => {
    const { investorId } = caller;
    return open(ports, input, signal, {
      ...credentialOf(ports, caller),
      reader: { investorId },
      async authorise(event) {
        const facts = await readAccessFacts(ports, caller, companyOf(event));
        requireLive(ports, facts.key);
        if (!facts.inPortfolio) return null;
        if (isRequestEvent(event)) return event;
        const now = ports.clock.now();
        const covered = grantableScopes.filter((scope) => authorize(facts, scope, now).allowed);
        return narrowDataEvent(event, covered);
      },
      // Others share the answer above, whose tokens may have other scopes than this caller's.
      narrow: (event) =>
        isRequestEvent(event) ? event : narrowDataEvent(event, dataScopesOf(caller.scopes)),
    });
  };

const watchTypesInput = watchEventsInput.pick({ after: true });

const watchTypes =
  <Event extends FeedEvent>(types: readonly Event['type'][]) =>
  (ports: Ports) =>
  async (
    caller: InvestorCaller,
    input: z.input<typeof watchTypesInput> = {},
    signal?: AbortSignal,
  ): Promise<Events<Event>> => {
    const asked = { ...parseInput(watchTypesInput, input), types: [...types] };
    return watchInvestorEvents(ports)(caller, asked, signal) as Promise<Events<Event>>;
  };

/** Of what `watchInvestorEvents` tells, what happens to access requests. */
export const watchAccessRequests = watchTypes<RequestFeedEvent>(accessEventTypes);

/** Of what `watchInvestorEvents` tells, what happens to data. */
export const watchCompanyData = watchTypes<DataFeedEvent>(dataEventTypes);

/**
 * What happens to the access requests to the caller's company, and to its data; see `watchInvestorEvents`. The stream of a contact ends with
 * the session, and with the contact.
 *
 * @throws InputError, AccessError `event_expired`, `service_unavailable`; the stream may end with `invalid_api_key`
 */
export const watchCompanyEvents =
  (ports: Ports) =>
  (
    caller: CompanyCaller | ContactCaller,
    input: WatchEventsInput = {},
    signal?: AbortSignal,
  ): Promise<Events> => {
    const { companyId } = caller;
    const { keyId, readKey } = credentialOf(ports, caller);
    return open(ports, input, signal, {
      keyId,
      reader: { companyId },
      readKey,
      async authorise(event) {
        requireLive(ports, await readKey());
        return event;
      },
      narrow: (event) => event,
    });
  };

interface Watcher
  extends Pick<
    ConstructorParameters<typeof EventStream>[0],
    'keyId' | 'reader' | 'readKey' | 'authorise'
  > {
  /** What this caller may be told of what the key may. */
  readonly narrow: (event: FeedEvent) => FeedEvent | null;
}

async function open(
  ports: Ports,
  input: WatchEventsInput,
  signal: AbortSignal | undefined,
  watcher: Watcher,
): Promise<Events> {
  const { after, types } = parseInput(watchEventsInput, input);
  const { accessEvents, clock, eventFeed } = ports;
  const end = () => void stream.return();
  const stream = new EventStream({
    ...watcher,
    readBehind: (query) =>
      eventFeed.readBehind(watcher.reader, `${query.after}`, () =>
        accessEvents.read({ ...query, reader: watcher.reader, data: anyGrant(ports) }),
      ),
    clock,
    async authorise(event) {
      if (types != null && !types.includes(event.type)) return null;
      const ask = () => watcher.authorise(event);
      const allowed = await eventFeed.authorise(watcher.keyId, event, ask);
      return allowed && watcher.narrow(allowed);
    },
    onEnd() {
      signal?.removeEventListener('abort', end);
      eventFeed.remove(stream);
    },
  });
  eventFeed.add(stream);
  signal?.addEventListener('abort', end);
  try {
    const begin = await findBegin(ports, watcher.reader, after);
    await eventFeed.start(stream, begin.position);
    if (signal?.aborted) end();
    return { after: begin.id, events: stream };
  } catch (error) {
    end();
    throw error;
  }
}

const anyGrant = ({ clock }: Pick<Ports, 'clock'>): DataReader => ({
  scopes: grantableScopes,
  now: clock.now(),
});

/** What was committed before a stream is opened is no event of it, what comes later is. */
async function findBegin(
  ports: Ports,
  reader: Watcher['reader'],
  after: string | null | undefined,
): Promise<Pick<FeedEvent, 'id' | 'position'>> {
  if (after == null) {
    const { accessEvents, eventFeed } = ports;
    const last = await eventFeed.findLast(reader, () =>
      accessEvents.findLast(reader, anyGrant(ports)),
    );
    return last ?? { id: beforeFirstEvent, position: noPosition };
  }
  const position = await findPosition(ports, reader, after);
  return { id: after, position: position ?? noPosition };
}
