import { z } from 'zod';
import { AccessError } from '../../model/errors.ts';
import type { FeedEvent } from '../../model/events/access-event.ts';
import type { Caller, CompanyCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { FeedReader } from '../../ports/events.ts';
import type { Ports } from '../../ports/index.ts';
import { findCompany, findInvestor } from '../identity/organisations.ts';
import { beforeFirstEvent, startOfFeed } from './start-of-feed.ts';

export const maxEvents = 1000;

export const readEventsInput = z.strictObject({
  after: z.string().nullish().meta({
    description: 'Id of the last event that you have; only later ones are listed.',
    example: 'evt_019aa1b2c3d47e5f8a9b0c1d2e3f4a5b',
  }),
  limit: z
    .int()
    .min(1)
    .max(maxEvents)
    .default(100)
    .meta({ description: `How many at most; from 1 to ${maxEvents}.`, example: 100 }),
});

export type ReadEventsInput = z.input<typeof readEventsInput>;

export interface EventPage {
  readonly events: readonly FeedEvent[];
  readonly hasMore: boolean;
}

/**
 * What happened to the access requests of the caller's investor, oldest first.
 *
 * @throws InputError, and AccessError `event_expired` when `after` is unknown or older than the feed goes back
 */
export const readInvestorEvents =
  (ports: Ports) =>
  ({ investorId }: Caller, input: ReadEventsInput = {}): Promise<EventPage> =>
    readFeed(ports, { investorId }, input);

/**
 * What happened to the access requests to the caller's company, oldest first.
 *
 * @throws InputError, and AccessError `event_expired`
 */
export const readCompanyEvents =
  (ports: Ports) =>
  ({ companyId }: CompanyCaller, input: ReadEventsInput = {}): Promise<EventPage> =>
    readFeed(ports, { companyId }, input);

interface Filter extends ReadEventsInput {
  readonly investorId?: string | undefined;
  readonly companyId?: string | undefined;
}

/**
 * The feed of one side, or of all, for an operator.
 *
 * @throws OperatorError `not_found`, InputError, and AccessError `event_expired`
 */
export const listAccessEvents =
  (ports: Ports) =>
  async ({ investorId, companyId, ...input }: Filter = {}): Promise<EventPage> => {
    if (investorId !== undefined) await findInvestor(ports, investorId);
    if (companyId !== undefined) await findCompany(ports, companyId);
    const reader =
      investorId !== undefined ? { investorId } : companyId !== undefined ? { companyId } : null;
    return readFeed(ports, reader, input);
  };

async function readFeed(
  ports: Ports,
  reader: FeedReader,
  input: ReadEventsInput,
): Promise<EventPage> {
  const { after, limit } = parseInput(readEventsInput, input);
  const position = after == null ? null : await findPosition(ports, reader, after);
  // Clocks differ, so an event that comes after one in the feed can be older: whoever goes on must not miss it.
  const since = position === null ? startOfFeed(ports.clock) : null;
  const found = await ports.accessEvents.read({ reader, after: position, since, limit: limit + 1 });
  return { events: found.slice(0, limit), hasMore: found.length > limit };
}

/**
 * The place in the feed of the last event that a reader has; null: before the first.
 *
 * @throws AccessError `event_expired`, also for an event that the reader never got
 */
export async function findPosition(
  { accessEvents, clock }: Pick<Ports, 'accessEvents' | 'clock'>,
  reader: FeedReader,
  id: string,
): Promise<string | null> {
  if (id === beforeFirstEvent) return null;
  const event = eventIdPattern.test(id) ? await accessEvents.find(id) : null;
  const since = startOfFeed(clock);
  if (event === null || event.createdAt < since || !isReaderOf(reader, event)) {
    throw new AccessError('event_expired');
  }
  return event.position;
}

const eventIdPattern = /^evt_[0-9A-Za-z]{1,64}$/;

/** Whether an event is about the reader's own requests. */
function isReaderOf(reader: FeedReader, { accessRequest }: FeedEvent): boolean {
  if (reader === null) return true;
  return 'investorId' in reader
    ? reader.investorId === accessRequest.investorId
    : reader.companyId === accessRequest.companyId;
}
