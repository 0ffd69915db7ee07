import { z } from 'zod';
import type { FeedEvent } from '../../model/events/access-event.ts';
import type { CompanyCaller, ContactCaller, InvestorCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { credentialOf, requireLive } from '../sign-in/company-credential.ts';
import { type EventIterator, EventStream, noPosition } from './event-stream.ts';
import { findPosition, readEventsInput } from './read-events.ts';
import { beforeFirstEvent } from './start-of-feed.ts';

const watchEventsInput = z.strictObject({ after: readEventsInput.shape.after });

export type WatchEventsInput = z.input<typeof watchEventsInput>;

/** The events of a reader as they happen. It must be brought to its end, by `return` or by the signal of its use case. */
export interface Events {
  /** The event after which they begin. A reader that has got none goes on after it when it comes again. */
  readonly after: string;
  readonly events: EventIterator;
}

/**
 * What happens to the access requests of the caller's investor, from the event `after` on, else from now on. Each event
 * is authorised as it is handed out: that of a company that is not in the portfolio then is withheld.
 *
 * @throws InputError, AccessError `event_expired`, `service_unavailable`; the stream ends with `invalid_api_key` when the
 *   key is revoked or expires
 */
export const watchInvestorEvents =
  (ports: Ports) =>
  (caller: InvestorCaller, input: WatchEventsInput = {}, signal?: AbortSignal): Promise<Events> => {
    const { credentialId: keyId, investorId } = caller;
    return open(ports, input, signal, {
      keyId,
      reader: { investorId },
      readKey: () => ports.apiKeys.readValidity(keyId),
      async mayRead({ accessRequest: { companyId } }) {
        const { key, inPortfolio } = await ports.accessFacts.read({ keyId, companyId });
        requireLive(ports, key);
        return inPortfolio;
      },
    });
  };

/**
 * What happens to the access requests to the caller's company; see `watchInvestorEvents`. The stream of a contact ends with
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
      async mayRead() {
        requireLive(ports, await readKey());
        return true;
      },
    });
  };

type Watcher = Pick<
  ConstructorParameters<typeof EventStream>[0],
  'keyId' | 'reader' | 'readKey' | 'mayRead'
>;

async function open(
  ports: Ports,
  input: WatchEventsInput,
  signal: AbortSignal | undefined,
  watcher: Watcher,
): Promise<Events> {
  const { after } = parseInput(watchEventsInput, input);
  const { accessEvents, clock, eventFeed } = ports;
  const end = () => void stream.return();
  const stream = new EventStream({
    ...watcher,
    readBehind: (query) =>
      eventFeed.readBehind(watcher.reader, `${query.after}`, () =>
        accessEvents.read({ ...query, reader: watcher.reader }),
      ),
    clock,
    mayRead: (event) => eventFeed.mayRead(watcher.keyId, event, () => watcher.mayRead(event)),
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

/** What was committed before a stream is opened is no event of it, what comes later is. */
async function findBegin(
  ports: Ports,
  reader: Watcher['reader'],
  after: string | null | undefined,
): Promise<Pick<FeedEvent, 'id' | 'position'>> {
  if (after == null) {
    const { accessEvents, eventFeed } = ports;
    const last = await eventFeed.findLast(reader, () => accessEvents.findLast(reader));
    return last ?? { id: beforeFirstEvent, position: noPosition };
  }
  const position = await findPosition(ports, reader, after);
  return { id: after, position: position ?? noPosition };
}
