import { setTimeout as wait } from 'node:timers/promises';
import {
  type Answer,
  type CallOptions,
  createHttpClient,
  type HttpClient,
} from '../../support/http-client.ts';

export interface Call extends CallOptions {
  readonly method: string;
  readonly path: string;
}

export interface Outcome<C extends Call = Call> {
  readonly call: C;
  readonly sentAt: number;
  readonly endedAt: number;
  /** Null if the connection failed or broke. */
  readonly answer: Answer | null;
  readonly error?: unknown;
}

export interface Traffic<C extends Call> {
  readonly outcomes: readonly Outcome<C>[];
  /** Resolves after this many further calls. `isCounted` selects the calls that count. */
  more(count: number, isCounted?: (outcome: Outcome<C>) => boolean): Promise<void>;
  /** Waits for the last answers. */
  stop(): Promise<readonly Outcome<C>[]>;
}

interface TrafficOptions<C extends Call> {
  readonly onOutcome?: (outcome: Outcome<C>) => void;
  readonly cursorOf?: (caller: number) => number;
  /** Returns true if the call never arrived and must be sent again. */
  readonly isMissed?: (caller: number, outcome: Outcome<C>) => boolean;
  /** Milliseconds until a call without an answer fails. 0 means no limit. */
  readonly patience?: number;
}

/** A caller waits this long after a failure. Shorter than Retry-After, so that tests are short. */
const pauseMilliseconds = 25;

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

export function countStatuses(outcomes: readonly Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    const status = String(statusOf(outcome));
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}
