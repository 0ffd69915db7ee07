import { AccessError } from '../../model/errors.ts';
import { companyOf, type FeedEvent, isRequestEvent } from '../../model/events/access-event.ts';
import type { AccessEvents, EventFeed, FeedStream } from '../../ports/events.ts';
import { isAfter } from './event-stream.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { SharedQuestions } from './shared-questions.ts';

export interface EventStreamLimits {
  /** Streams of one investor or company in this process, whatever keys they were opened with; 2,000 by default. */
  readonly perOwner?: number;
  /** All streams of this process. */
  readonly total: number;
}

/** The part of all streams that is kept for investors and companies that have none. */
const keptForNewcomers = 1 / 10;

/** By company. */
type GrantedInvestors = Awaited<ReturnType<AccessEvents['findGranted']>>;

/** Each may name all metrics of a company. */
const pageSize = 200;

/**
 * The feed of one process: what is new is read once for all of its streams. Whoever makes it calls `poll` and `checkKeys`
 * from time to time; a call that comes late delays events, it never loses one.
 */
export class PolledEventFeed implements EventFeed {
  readonly #authorisations = new SharedQuestions<FeedEvent | null>();
  readonly #begins = new SharedQuestions<Pick<FeedEvent, 'id' | 'position'> | null>();
  readonly #pages = new SharedQuestions<readonly FeedEvent[]>();
  readonly #readers = new OneAtATime();
  readonly #accessEvents: Pick<AccessEvents, 'read' | 'lastPosition' | 'findGranted'>;
  readonly #limits: Required<EventStreamLimits>;
  /** Only keys that have a stream, for each of them is asked about. */
  readonly #keys = new Map<string, Set<FeedStream>>();
  /** By investor or company. */
  readonly #owners = new Map<string, Set<FeedStream>>();
  #size = 0;
  /** All events up to here were brought to the streams; null while there is none. */
  #position: string | null = null;

  constructor(
    accessEvents: Pick<AccessEvents, 'read' | 'lastPosition' | 'findGranted'>,
    limits: EventStreamLimits,
  ) {
    this.#accessEvents = accessEvents;
    this.#limits = { perOwner: 2_000, ...limits };
  }

  /** How many streams are open. */
  get size(): number {
    return this.#size;
  }

  add(stream: FeedStream): void {
    const { perOwner, total } = this.#limits;
    const owner = ownerOf(stream.reader);
    const ofOwner = this.#owners.get(owner.id) ?? new Set();
    if (ofOwner.size >= perOwner) {
      const message = `More than ${perOwner} event streams of this ${owner.kind} are open.`;
      throw new AccessError('service_unavailable', { message });
    }
    const kept = ofOwner.size === 0 ? 0 : Math.ceil(total * keptForNewcomers);
    if (this.#size >= total - kept) throw new AccessError('service_unavailable');
    this.#keys.getOrInsertComputed(stream.keyId, () => new Set()).add(stream);
    ofOwner.add(stream);
    this.#owners.set(owner.id, ofOwner);
    this.#size += 1;
  }

  remove(stream: FeedStream): void {
    takeOut(this.#keys, stream.keyId, stream);
    takeOut(this.#owners, ownerOf(stream.reader).id, stream);
    this.#size -= 1;
    if (this.#size === 0) this.#position = null;
  }

  findLast(
    reader: FeedStream['reader'],
    ask: () => ReturnType<AccessEvents['findLast']>,
  ): ReturnType<AccessEvents['findLast']> {
    return this.#begins.ask(ownerOf(reader).id, ask);
  }

  async start(stream: FeedStream, position: string): Promise<void> {
    const last = await this.#accessEvents.lastPosition();
    // The reader may have gone meanwhile, and a feed without streams has no position.
    if (this.#size === 0) return;
    // From here on every event behind this position is brought to the stream.
    this.#position ??= last;
    stream.start(position, isAfter({ position: this.#position }, position));
  }

  authorise(
    keyId: string,
    event: FeedEvent,
    ask: () => Promise<FeedEvent | null>,
  ): Promise<FeedEvent | null> {
    return this.#authorisations.ask(`${keyId} ${event.id}`, ask);
  }

  readBehind(
    reader: FeedStream['reader'],
    place: string,
    read: () => Promise<readonly FeedEvent[]>,
  ): Promise<readonly FeedEvent[]> {
    const { id } = ownerOf(reader);
    return this.#pages.ask(`${id} ${place}`, () => this.#readers.run(id, read));
  }

  /** Brings what is new to the streams. */
  async poll(): Promise<void> {
    let hasMore = true;
    while (hasMore) {
      const from = this.#position;
      if (from === null) return;
      const last = await this.#accessEvents.lastPosition();
      const events =
        last === from
          ? []
          : await this.#accessEvents.read({
              reader: null,
              after: from,
              since: null,
              limit: pageSize,
            });
      const granted = await this.#findGranted(events);
      // Meanwhile the last stream may have ended, and another one have begun elsewhere.
      if (this.#position !== from) return;
      this.#position = events.at(-1)?.position ?? from;
      this.#bring(events, granted);
      hasMore = events.length === pageSize;
    }
  }

  /** Ends the streams whose keys do not work any more. */
  async checkKeys(): Promise<void> {
    await Promise.all(
      this.#keys.values().map(async (streams) => {
        const [one] = [...streams] as [FeedStream];
        const key = await one.readKey();
        for (const stream of streams) stream.checkKey(key);
      }),
    );
  }

  async #findGranted(events: readonly FeedEvent[]): Promise<GrantedInvestors> {
    const ofData = events.filter((event) => !isRequestEvent(event)).map(companyOf);
    if (ofData.length === 0) return new Map();
    return this.#accessEvents.findGranted([...new Set(ofData)]);
  }

  #bring(events: readonly FeedEvent[], granted: GrantedInvestors): void {
    const byCompany = Map.groupBy(events, companyOf);
    const byInvestor = new Map<string, FeedEvent[]>();
    for (const event of events) {
      const investors = isRequestEvent(event)
        ? [event.accessRequest.investorId]
        : (granted.get(event.companyId) ?? []).map(({ investorId }) => investorId);
      for (const id of investors) byInvestor.getOrInsertComputed(id, () => []).push(event);
    }
    for (const stream of this.#all()) {
      const { reader } = stream;
      const own =
        'companyId' in reader ? byCompany.get(reader.companyId) : byInvestor.get(reader.investorId);
      if (own) stream.accept(own);
      stream.retry();
    }
  }

  *#all(): Generator<FeedStream> {
    for (const streams of this.#keys.values()) yield* streams;
  }
}

/** A set goes with the last stream in it. */
function takeOut(sets: Map<string, Set<FeedStream>>, name: string, stream: FeedStream): void {
  const set = sets.get(name);
  if (set?.delete(stream) && set.size === 0) sets.delete(name);
}

/** Whose streams are counted together. */
function ownerOf(reader: FeedStream['reader']): { readonly kind: string; readonly id: string } {
  return 'companyId' in reader
    ? { kind: 'company', id: reader.companyId }
    : { kind: 'investor', id: reader.investorId };
}
