import { afterEach, expect, it, vi } from 'vitest';
import {
  startConsentWatch,
  startRecordCounting,
  startSandbox,
  startSweeper,
} from '../../gateway/periodic-tasks.ts';

afterEach(() => vi.useRealTimers());

it('a failing task of the periodic sweep is logged, and the other tasks still run', async () => {
  const told: unknown[] = [];
  const ran: string[] = [];
  const failure = new Error('one row is broken');
  const end = Promise.withResolvers<void>();
  const sweeper = startSweeper(
    {
      expireAccessRequests: () => Promise.reject(failure),
      async announceExpiringGrants() {
        ran.push('announce');
        return 0;
      },
      async announceReviews() {
        ran.push('announce reviews');
        return 0;
      },
      async reportStaleSources() {
        ran.push('tell');
        return 0;
      },
      async deleteOldDataEvents() {
        ran.push('forget events');
      },
      async deleteExpiredIdempotencyKeys() {
        ran.push('forget');
      },
      async deleteExpiredSignIns() {
        ran.push('forget sign-ins');
        end.resolve();
      },
    },
    { error: ({ err }: { err: unknown }) => told.push(err) },
  );
  await end.promise;
  await sweeper.stop();
  expect(ran).toEqual([
    'announce',
    'announce reviews',
    'tell',
    'forget events',
    'forget',
    'forget sign-ins',
  ]);
  expect(told).toEqual([failure]);
});

it('a sweep that is stopped finishes its current task, and starts no further task', async () => {
  let hasBegunNext = false;
  const begun = Promise.withResolvers<void>();
  const sweeper = startSweeper(
    {
      async expireAccessRequests({ isStopping = () => false } = {}) {
        begun.resolve();
        while (!isStopping()) await new Promise((done) => setImmediate(done));
        return 0;
      },
      async announceExpiringGrants() {
        hasBegunNext = true;
        return 0;
      },
      announceReviews: async () => 0,
      reportStaleSources: async () => 0,
      deleteOldDataEvents: async () => undefined,
      deleteExpiredIdempotencyKeys: async () => undefined,
      deleteExpiredSignIns: async () => undefined,
    },
    { error: () => undefined },
  );
  await begun.promise;
  await sweeper.stop();
  expect(hasBegunNext).toBe(false);
});

it.each([
  [
    'to answer requests of the sandbox',
    1_500,
    (work: () => Promise<void>, log: Parameters<typeof startSandbox>[1]) =>
      startSandbox({ answerSandboxRequests: () => work().then(() => 0) }, log),
  ],
  [
    'to count access records',
    60_000,
    (work: () => Promise<void>, log: Parameters<typeof startRecordCounting>[1]) =>
      startRecordCounting({ countAccessRecords: work }, log),
  ],
])('only the first of several consecutive failures %s is logged', async (_name, pause, start) => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const outcomes = [false, false, true, false, false];
  const logged: unknown[] = [];
  const work = async () => {
    if (outcomes.shift() === false) throw new Error('the database is down');
  };
  const task = start(work, { error: ({ err }: { err: unknown }) => logged.push(err) });
  for (let turn = 0; turn < 5; turn += 1) await vi.advanceTimersByTimeAsync(pause);
  await task.stop();
  expect(outcomes).toEqual([]);
  expect(logged).toHaveLength(2);
});

it('each access request with a problem is logged once, and counted until the problem is gone', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const problem = 'it has no event';
  const of = (...ids: string[]) =>
    ids.map((subject) => ({ check: 'consents', subject, problem }) as const);
  const results = [of('ar_1'), of('ar_1', 'ar_2'), new Error('the database is down'), of('ar_2')];
  const asked: unknown[] = [];
  const logged: unknown[] = [];
  const watch = startConsentWatch(
    {
      async watchConsents({ isFull, known }) {
        asked.push([isFull, known]);
        const result = results.shift() ?? [];
        if (result instanceof Error) throw result;
        return result;
      },
    },
    { error: (told: object) => logged.push(Object.values(told)[0]) },
  );
  const counts = [];
  for (let run = 0; run < 5; run += 1) {
    await vi.advanceTimersByTimeAsync(0);
    counts.push(watch.countFindings());
    await vi.advanceTimersByTimeAsync(600_000);
  }
  await watch.stop();
  expect(asked.slice(0, 5)).toEqual([
    [false, []],
    [true, ['ar_1']],
    [false, ['ar_1', 'ar_2']],
    [false, ['ar_1', 'ar_2']],
    [false, ['ar_2']],
  ]);
  expect(counts).toEqual([1, 2, 2, 1, 0]);
  expect(logged).toEqual(['ar_1', 'ar_2', new Error('the database is down')]);
});

it('the periodic check verifies all signatures in its second run, after a failure, and once a day', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  let runs = 0;
  const full: number[] = [];
  const watch = startConsentWatch(
    {
      async watchConsents({ isFull }) {
        runs += 1;
        if (isFull) full.push(runs);
        if (runs === 2) throw new Error('the database is down');
        return [];
      },
    },
    { error: () => undefined },
  );
  for (let run = 0; run < 147; run += 1) await vi.advanceTimersByTimeAsync(600_000);
  await watch.stop();
  expect(full).toEqual([2, 3, 147]);
});
