import { setTimeout as wait } from 'node:timers/promises';
import {
  type Answer,
  type Ask,
  createHttpClient,
  type HttpClient,
} from '../../support/http-client.ts';

export interface Call extends Ask {
  readonly method: string;
  readonly path: string;
}

/** What became of a call. */
export interface Outcome<C extends Call = Call> {
  readonly call: C;
  readonly sentAt: number;
  readonly endedAt: number;
  /** Null: the connection broke, or there was none. */
  readonly answer: Answer | null;
  readonly error?: unknown;
}

export interface Traffic<C extends Call> {
  /** All that have ended, in the order of their ends. */
  readonly outcomes: readonly Outcome<C>[];
  /** Resolves when so many more have ended as asked. */
  more(count: number, isCounted?: (outcome: Outcome<C>) => boolean): Promise<void>;
  /** Sends no more, and waits for the last answers. */
  stop(): Promise<readonly Outcome<C>[]>;
}

interface TrafficOptions<C extends Call> {
  /** Called before the caller sends its next call. */
  readonly onOutcome?: (outcome: Outcome<C>) => void;
  /** Which of the addresses the caller asks. */
  readonly cursorOf?: (caller: number) => number;
  /** Whether the call never arrived, so that it is sent again. */
  readonly isMissed?: (caller: number, outcome: Outcome<C>) => boolean;
  /** How many milliseconds a caller waits for a word; 0: for ever. */
  readonly patience?: number;
}

/** Callers that give a service that cannot serve a moment, as its Retry-After asks; a test has less time than it says. */
const pauseMilliseconds = 25;

/** Callers with connections that they keep, each of which asks again as soon as it was answered. */
export function startTraffic<C extends Call>(
  urls: string | readonly string[],
  callers: number,
  next: (caller: number) => C | null,
  { onOutcome, cursorOf = () => 0, isMissed = () => false, patience = 0 }: TrafficOptions<C> = {},
): Traffic<C> {
  const clients = [urls]
    .flat()
    .map((url) => createHttpClient(url, () => undefined, callers, patience));
  const outcomes: Outcome<C>[] = [];
  const watchers = new Set<(outcome: Outcome<C>) => void>();
  let isStopping = false;

  async function exchange(call: C, place: number): Promise<Outcome<C>> {
    const sentAt = performance.now();
    const client = clients[place] as HttpClient;
    try {
      const answer = await client.call(call.method, call.path, call);
      return { call, sentAt, endedAt: performance.now(), answer };
    } catch (error) {
      return { call, sentAt, endedAt: performance.now(), answer: null, error };
    }
  }

  async function run(caller: number): Promise<void> {
    while (!isStopping) {
      const call = next(caller);
      if (call === null) return;
      let outcome = await exchange(call, cursorOf(caller));
      while (isMissed(caller, outcome)) outcome = await exchange(call, cursorOf(caller));
      outcomes.push(outcome);
      onOutcome?.(outcome);
      for (const watch of watchers) watch(outcome);
      const isServed = outcome.answer !== null && outcome.answer.status < 500;
      if (!isServed) await wait(pauseMilliseconds);
    }
  }

  const running = Promise.all(Array.from({ length: callers }, (_, caller) => run(caller)));
  return {
    outcomes,
    more(count, isCounted = () => true) {
      const { promise, resolve } = Promise.withResolvers<void>();
      let missing = count;
      const watch = (outcome: Outcome<C>) => {
        if (isCounted(outcome)) missing -= 1;
        if (missing > 0) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
      return promise;
    },
    async stop() {
      isStopping = true;
      await running;
      for (const client of clients) client.close();
      return outcomes;
    },
  };
}

export const statusOf = ({ answer }: Outcome): number => answer?.status ?? 0;

export const requestIdOf = ({ answer }: Outcome): string =>
  String(answer?.headers['svc-request-id'] ?? '');

/** How many outcomes there are of each status, for a message that tells what was seen. */
export function countStatuses(outcomes: readonly Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    const status = String(statusOf(outcome));
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}
