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
/** Pairs are read in another order than they are revoked in: a reader just as fast would never meet a revocation. */
const stride = 17;
const callers = 4;
const watched = 3;
const millisecondsBetweenRevocations = 50;
/** A cluster that can't do more is asked no more. */
const turnsAtOnce = 16;
/** How long a consent stays revoked, so that many reads see it. */
const millisecondsRevoked = 500;
/** After so much silence a caller asks somebody else, or again. */
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

/** A time in which a consent was not there, by the clock of the caller: from the answer on that said so. */
interface Absence {
  readonly from: number;
  /** When it was first asked to be given again; undefined: not yet. */
  until?: number;
}

/** What was seen of a fault; all but the answers and the times must be nothing. */
export interface Seen {
  readonly answers: number;
  readonly changes: number;
  /** Answers of a time in which the consent was revoked, stale ones among them. */
  readonly whileRevoked: number;
  /** Those of them that were asked for after the fault had begun. */
  readonly sinceFault: number;
  readonly stale: Record<string, number>;
  readonly unrecorded: number;
  readonly lost: number;
  readonly contradictions: number;
  /** Events that a reader has not got, or got twice, by their types. */
  readonly skipped: Record<string, number>;
  readonly doubled: Record<string, number>;
  /** That a reader has got, and that are not there. */
  readonly gone: Record<string, number>;
  /** Events that a reader has got after one that comes later, and those that have no place in the feed at all. */
  readonly disordered: number;
  readonly unnumbered: number;
  readonly unforeseen: Record<string, number>;
  /** What stood in the place of answers, and how often. */
  readonly outages: Record<string, number>;
  /** The longest time without an answer that serves, in seconds, of each kind of call. */
  readonly refused: Record<'data' | 'list' | 'change', number>;
}

/** Reads of everything, revocations every 50 ms, and readers of the events that come again when their stream ends. */
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
        // Each kind of call comes round as often as any other, so that a pause is one of the service.
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
   * Takes the consent back, asks again and gives it again, each until it is acknowledged. False: what was acknowledged
   * before is not so any more, and nothing more can be asked of this pair.
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

  /** Null: it was refused, or nobody waits any more. */
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

  /** Resolves when so many more reads have ended, however they did. */
  more(count: number): Promise<void> {
    return this.#reading.more(count);
  }

  /** Resolves when data is read again. */
  served(): Promise<void> {
    const now = performance.now();
    const isServed = (read: Outcome<PairCall>) =>
      read.sentAt > now && isDataRead(read) && statusOf(read) === 200;
    return this.#reading.more(20, isServed);
  }

  /**
   * @param primaryUrl the server that has survived
   * @param faultAt when the fault began, by the clock of `performance.now()`
   */
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

  /** What a reader of the stream has got beside what there is. */
  async #compare(reader: EventReader) {
    const all = await listEvents(this.#url, reader.key);
    const has = (got: readonly Told[], { id }: Told) => got.some((event) => event.id === id);
    const last = all.at(-1);
    // What does not come is skipped.
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

/** An answer that says something, whatever it says. */
const isServed = (read: Outcome<PairCall>): boolean => consentIn(read) !== null;

/** In its own words, or a connection that is gone. */
const isOutage = (outcome: Outcome): boolean => [0, 502, 503, 504].includes(statusOf(outcome));

/** In whichever protocol. */
const hasData = (read: Outcome<PairCall>): boolean =>
  read.call.kind === 'data' && consentIn(read) === 'granted';

/** What is committed gets its place in the feed by who reads it next. */
function countUnnumbered(primaryUrl: string): Promise<number> {
  return withClient(primaryUrl, async (client) => {
    const { rows } = await client.query(
      'select count(*)::int as count from access_event where position is null',
    );
    return Number(rows[0]?.count);
  });
}

/** Served, refused for what the consent is, or an outage. */
const isForeseen = (read: Outcome<PairCall>): boolean =>
  [200, 403, 404].includes(statusOf(read)) || isOutage(read);

function countBy<T>(items: readonly T[], key: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[key(item)] = (counts[key(item)] ?? 0) + 1;
  return counts;
}

/** An event as a reader is told of it. */
interface Told {
  readonly id: string;
  readonly type: string;
}

/** Of data one is told what a grant covers in the moment in which it is read, so that two readers may differ. */
const isOfConsent = ({ type }: Told): boolean => type.startsWith('access_request.');

/** What happened to the requests of an investor. */
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

/** Reads an investor's stream from the beginning of the feed, and goes on after its last event when it ends. */
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
