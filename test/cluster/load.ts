import { setTimeout as wait } from 'node:timers/promises';
import { type Actor, type Step, stepOf, take, written } from '../faults/support/actors.ts';
import {
  type Change,
  findContradictions,
  findLostChanges,
  findUnrecorded,
} from '../faults/support/books.ts';
import {
  asOperator,
  callsOf,
  consentIn,
  createPair,
  type PairCall,
} from '../faults/support/consents.ts';
import { isDataRead } from '../faults/support/outage.ts';
import { type Outcome, startTraffic, statusOf, type Traffic } from '../faults/support/traffic.ts';
import { until } from '../faults/support/until.ts';
import { type OpenedStream, openStream } from '../support/event-stream.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { withClient } from '../support/postgres-server.ts';

const pairs = 40;
/**
 * The step between the pairs that are read. With a step of one, reads would follow the revocations
 * at the same speed, and meet no revoked consent.
 */
const stride = 17;
const callers = 4;
const watched = 3;
const millisecondsBetweenRevocations = 50;
/** Limits simultaneous changes of consent if the cluster is slow. */
const turnsAtOnce = 16;
/** Long enough for many reads. */
const millisecondsRevoked = 500;
/** A caller tries again after this time without an answer. */
const patience = 10_000;

export async function createActors(databaseUrl: string, signingKeyFile: string): Promise<Actor[]> {
  return asOperator(
    databaseUrl,
    async (side) => {
      const made: Actor[] = [];
      while (made.length < pairs) {
        made.push({ ...(await createPair(side)), acknowledged: [], next: 'revoke' });
      }
      return made;
    },
    { SIGNING_KEY_FILE: signingKeyFile },
  );
}

/** A period without consent, by the caller's clock. It starts with the answer to the revocation. */
interface Absence {
  readonly from: number;
  /** The time when the caller sends the next approval. Undefined before that. */
  until?: number;
}

/** All values except the counts and the times must be zero or empty. */
export interface Seen {
  readonly answers: number;
  readonly changes: number;
  readonly whileRevoked: number;
  /** The number of these reads that were sent after the fault began. */
  readonly sinceFault: number;
  readonly stale: Record<string, number>;
  readonly unrecorded: number;
  readonly lost: number;
  readonly contradictions: number;
  readonly skipped: Record<string, number>;
  readonly doubled: Record<string, number>;
  /** Events of a stream that aren't stored, by type. */
  readonly gone: Record<string, number>;
  /** The number of events that a stream contained after a later event. */
  readonly disordered: number;
  readonly unnumbered: number;
  readonly unforeseen: Record<string, number>;
  /** Outages that callers noticed, by kind. */
  readonly outages: Record<string, number>;
  /** The longest time without a successful answer, in seconds, by kind of call. */
  readonly refused: Record<'data' | 'list' | 'change', number>;
}

/** Reads of every kind, a revocation every 50 ms, and event streams that reconnect when they end. */
export class Load {
  readonly #url: string;
  readonly #reading: Traffic<PairCall>;
  readonly #deciding: HttpClient;
  readonly #steps: Outcome<Step>[] = [];
  readonly #changes: Change[] = [];
  readonly #absences = new Map<string, Absence[]>();
  readonly #turns = new Set<Promise<void>>();
  readonly #busy = new Set<Actor>();
  readonly #watching: EventReader[];
  readonly #ticking: NodeJS.Timeout;
  readonly #startedAt = performance.now();
  #isStopping = false;

  constructor(url: string, actors: readonly Actor[]) {
    this.#url = url;
    this.#deciding = createHttpClient(url, () => undefined, pairs, patience);
    this.#watching = actors.slice(0, watched).map((actor) => new EventReader(url, actor.key));
    let turnOfReads = 0;
    let calls: PairCall[] = [];
    this.#reading = startTraffic<PairCall>(
      url,
      callers,
      () => {
        // Each kind of call has an equal share, so that only the service can cause a gap in the answers.
        if (calls.length === 0) {
          turnOfReads += 1;
          calls = callsOf(actors[(turnOfReads * stride) % actors.length] as Actor);
        }
        return calls.shift() ?? null;
      },
      { patience },
    );
    let turn = 0;
    this.#ticking = setInterval(() => {
      if (this.#busy.size >= turnsAtOnce) return;
      for (const _ of actors) {
        turn += 1;
        const actor = actors[turn % actors.length] as Actor;
        if (this.#busy.has(actor)) continue;
        return this.#begin(actor);
      }
    }, millisecondsBetweenRevocations);
  }

  #begin(actor: Actor): void {
    this.#busy.add(actor);
    const turn = this.#takeTurn(actor)
      .then((isDone) => {
        if (isDone) this.#busy.delete(actor);
      })
      .finally(() => this.#turns.delete(turn));
    this.#turns.add(turn);
  }

  /**
   * Revokes the consent, requests it again and approves it. Repeats each change until it is
   * acknowledged. Returns false if an acknowledged change was lost, and then this pair isn't used
   * again.
   */
  async #takeTurn(actor: Actor): Promise<boolean> {
    const revoked = await this.#insist(actor);
    if (revoked === null) return false;
    const absence: Absence = { from: revoked.endedAt };
    const { companyId } = actor;
    this.#absences.set(companyId, [...(this.#absences.get(companyId) ?? []), absence]);
    await wait(millisecondsRevoked);
    if ((await this.#insist(actor)) === null) return false;
    absence.until = performance.now();
    return (await this.#insist(actor)) !== null;
  }

  /** Returns null if the change was refused or the load stops. */
  async #insist(actor: Actor): Promise<Outcome<Step> | null> {
    const type = `access_request.${written[actor.next]}`;
    while (!this.#isStopping) {
      const call = stepOf(actor);
      const sentAt = performance.now();
      const answered = await this.#deciding.call(call.method, call.path, call).then(
        (answer) => ({ answer }),
        (error: unknown) => ({ answer: null, error }),
      );
      const outcome = { call, sentAt, endedAt: performance.now(), ...answered };
      this.#steps.push(outcome);
      if (isAcknowledged(outcome)) {
        take(outcome);
        this.#changes.push({ requestId: actor.requestId, type });
        return outcome;
      }
      if (!isOutage(outcome)) return null;
      await wait(100);
    }
    return null;
  }

  /** Resolves after this many further reads have ended, with any result. */
  more(count: number): Promise<void> {
    return this.#reading.more(count);
  }

  /** Resolves when data is readable again. */
  served(): Promise<void> {
    const now = performance.now();
    const isServed = (read: Outcome<PairCall>) =>
      read.sentAt > now && isDataRead(read) && statusOf(read) === 200;
    return this.#reading.more(20, isServed);
  }

  /** Checks the results at the surviving server. `faultAt` is the time of the fault by `performance.now()`. */
  async finish(primaryUrl: string, faultAt: number): Promise<Seen> {
    clearInterval(this.#ticking);
    await until(() => this.#turns.size === 0, 60_000);
    this.#isStopping = true;
    const reads = await this.#reading.stop();
    this.#deciding.close();
    const watchers = await Promise.all(this.#watching.map((reader) => this.#compare(reader)));
    const whileRevoked = reads.filter((read) => isServed(read) && this.#isOfAbsence(read));
    return {
      answers: reads.filter(isServed).length,
      changes: this.#changes.length,
      whileRevoked: whileRevoked.length,
      sinceFault: whileRevoked.filter(({ sentAt }) => sentAt > faultAt).length,
      stale: countBy(
        whileRevoked.filter((read) => consentIn(read) === 'granted'),
        ({ call }) => call.kind,
      ),
      unrecorded: (await findUnrecorded(primaryUrl, reads.filter(hasData))).length,
      lost: (await findLostChanges(primaryUrl, this.#changes)).length,
      contradictions: (await findContradictions(primaryUrl)).length,
      skipped: countBy(
        watchers.flatMap(({ skipped }) => skipped),
        ({ type }) => type,
      ),
      doubled: countBy(
        watchers.flatMap(({ doubled }) => doubled),
        ({ type }) => type,
      ),
      gone: countBy(
        watchers.flatMap(({ gone }) => gone),
        ({ type }) => type,
      ),
      disordered: watchers.reduce((sum, { disordered }) => sum + disordered, 0),
      unnumbered: await countUnnumbered(primaryUrl),
      unforeseen: countBy(
        [
          ...reads.filter((read) => !isForeseen(read)),
          ...this.#steps.filter((step) => !isAcknowledged(step) && !isOutage(step)),
        ],
        (outcome) => `${outcome.call.method} ${statusOf(outcome)}`,
      ),
      outages: countBy(
        [...reads, ...this.#steps].filter((outcome) =>
          [0, 500, 502, 503, 504].includes(statusOf(outcome)),
        ),
        ({ call, answer, error }) =>
          `${'kind' in call ? call.kind : 'change'} ${answer?.status ?? (error as Error)?.message} ${answer?.body?.error?.code ?? ''}`,
      ),
      refused: {
        data: this.#longestWait(reads.filter(({ call }) => call.kind === 'data').filter(isServed)),
        list: this.#longestWait(reads.filter(({ call }) => call.kind !== 'data').filter(isServed)),
        change: this.#longestWait(this.#steps.filter(isAcknowledged)),
      },
    };
  }

  async stop(): Promise<void> {
    clearInterval(this.#ticking);
    this.#isStopping = true;
    for (const reader of this.#watching) reader.stop();
    await Promise.all([this.#reading.stop(), ...this.#turns]);
    this.#deciding.close();
  }

  #isOfAbsence(read: Outcome<PairCall>): boolean {
    const absences = this.#absences.get(read.call.pair.companyId) ?? [];
    return absences.some(
      (absence) =>
        read.sentAt > absence.from && (absence.until === undefined || read.endedAt < absence.until),
    );
  }

  #longestWait(served: readonly Outcome[]): number {
    let longest = 0;
    let last = this.#startedAt;
    for (const { endedAt } of served.toSorted((one, other) => one.endedAt - other.endedAt)) {
      longest = Math.max(longest, endedAt - last);
      last = endedAt;
    }
    return Math.round(longest / 100) / 10;
  }

  async #compare(reader: EventReader) {
    const all = await listEvents(this.#url, reader.key);
    const has = (got: readonly Told[], { id }: Told) => got.some((event) => event.id === id);
    const last = all.at(-1);
    // If the last event doesn't arrive, it counts as skipped.
    await until(() => last === undefined || has(reader.events(), last), 60_000, 100).catch(
      () => null,
    );
    reader.stop();
    const got = reader.events();
    const places = new Map(all.map(({ id }, place) => [id, place]));
    const placeOf = (event: Told | undefined) => (event && places.get(event.id)) ?? -1;
    return {
      disordered: got.filter((event, index) => placeOf(event) < placeOf(got[index - 1])).length,
      skipped: all.filter((event) => !has(got, event)),
      doubled: got.filter((event, index) => has(got.slice(0, index), event)),
      gone: got.filter((event) => !has(all, event)),
    };
  }
}

const isAcknowledged = ({ answer }: Outcome): boolean => answer !== null && answer.status < 300;

const isServed = (read: Outcome<PairCall>): boolean => consentIn(read) !== null;

/** True if the result is an error of the service or a lost connection. */
const isOutage = (outcome: Outcome): boolean => [0, 502, 503, 504].includes(statusOf(outcome));

const hasData = (read: Outcome<PairCall>): boolean =>
  read.call.kind === 'data' && consentIn(read) === 'granted';

/** The next read of the feed assigns positions to these events. */
function countUnnumbered(primaryUrl: string): Promise<number> {
  return withClient(primaryUrl, async (client) => {
    const { rows } = await client.query(
      'select count(*)::int as count from access_event where position is null',
    );
    return Number(rows[0]?.count);
  });
}

/** True if the service answered, refused the read because of the consent, or had an outage. */
const isForeseen = (read: Outcome<PairCall>): boolean =>
  [200, 403, 404].includes(statusOf(read)) || isOutage(read);

function countBy<T>(items: readonly T[], key: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[key(item)] = (counts[key(item)] ?? 0) + 1;
  return counts;
}

/** An event in a stream or in a list. */
interface Told {
  readonly id: string;
  readonly type: string;
}

/** Events about company data depend on the grant at the time of the read, so a stream and a list may differ. */
const isOfConsent = ({ type }: Told): boolean => type.startsWith('access_request.');

async function listEvents(url: string, key: string): Promise<Told[]> {
  const client = createHttpClient(url);
  const told: Told[] = [];
  try {
    for (let after = 'evt_start'; ; ) {
      const { status, text, body } = await client.call('GET', `/v1/events?after=${after}`, { key });
      if (status !== 200) throw new Error(text);
      told.push(...(body.data as Told[]).filter(isOfConsent));
      if (!body.has_more) return told;
      after = body.next_cursor;
    }
  } finally {
    client.close();
  }
}

/** Reads from the beginning, and resumes after the last event when the stream ends. */
class EventReader {
  readonly key: string;
  readonly #url: string;
  readonly #before: Told[] = [];
  #stream: OpenedStream | undefined;
  #isStopping = false;

  constructor(url: string, key: string) {
    this.#url = `${url}/v1/events`;
    this.key = key;
    void this.#read();
  }

  events(): Told[] {
    return [...this.#before, ...toldBy(this.#stream)].filter(isOfConsent);
  }

  async #read(): Promise<void> {
    while (!this.#isStopping) {
      const headers = { 'last-event-id': this.#before.at(-1)?.id ?? 'evt_start' };
      try {
        const stream = await openStream(this.#url, { key: this.key, headers, patience: 20_000 });
        if (stream.response.statusCode !== 200) {
          stream.leave();
          throw new Error(`the stream is ${stream.response.statusCode}`);
        }
        this.#stream = stream;
        if (this.#isStopping) stream.leave();
        await stream.ended;
        this.#stream = undefined;
        this.#before.push(...toldBy(stream));
      } catch {
        await wait(200);
      }
    }
  }

  stop(): void {
    this.#isStopping = true;
    this.#stream?.leave();
  }
}

const toldBy = (stream: OpenedStream | undefined): Told[] =>
  (stream?.events ?? []).map(({ id = '', event: type = '' }) => ({ id, type }));
