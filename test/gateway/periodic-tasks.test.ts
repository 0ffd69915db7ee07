import { afterEach, expect, it, vi } from 'vitest';
import { startRecordCounting, startSandbox, startSweeper } from '../../gateway/periodic-tasks.ts';

afterEach(() => vi.useRealTimers());

it('a sweep that fails is told, and holds no other up', async () => {
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
      async tellStaleSources() {
        ran.push('tell');
        return 0;
      },
      async forgetDataEvents() {
        ran.push('forget events');
      },
      async forgetIdempotencyKeys() {
        ran.push('forget');
      },
      async forgetSignIns() {
        ran.push('forget sign-ins');
        end.resolve();
      },
    },
    { error: ({ err }: { err: unknown }) => told.push(err) },
  );
  await end.promise;
  await sweeper.stop();
  expect(ran).toEqual(['announce', 'tell', 'forget events', 'forget', 'forget sign-ins']);
  expect(told).toEqual([failure]);
});

it('a sweep is told to stop, and the next one is not begun', async () => {
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
      tellStaleSources: async () => 0,
      forgetDataEvents: async () => undefined,
      forgetIdempotencyKeys: async () => undefined,
      forgetSignIns: async () => undefined,
    },
    { error: () => undefined },
  );
  await begun.promise;
  await sweeper.stop();
  expect(hasBegunNext).toBe(false);
});

it('of failures of the sandbox that follow each other the first is told', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const outcomes = [false, false, true, false, false];
  const told: unknown[] = [];
  const sandbox = startSandbox(
    {
      async answerSandboxRequests() {
        if (outcomes.shift() === false) throw new Error('the database is down');
        return 0;
      },
    },
    { error: ({ err }: { err: unknown }) => told.push(err) },
  );
  for (let turn = 0; turn < 5; turn += 1) await vi.advanceTimersByTimeAsync(1_500);
  await sandbox.stop();
  expect(outcomes).toEqual([]);
  expect(told).toHaveLength(2);
});

it('of failures to count records that follow each other the first is told', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const outcomes = [false, false, true, false];
  const told: unknown[] = [];
  const counting = startRecordCounting(
    {
      async countAccessRecords() {
        if (outcomes.shift() === false) throw new Error('the database is down');
      },
    },
    { error: ({ err }: { err: unknown }) => told.push(err) },
  );
  for (let turn = 0; turn < 4; turn += 1) await vi.advanceTimersByTimeAsync(60_000);
  await counting.stop();
  expect(outcomes).toEqual([]);
  expect(told).toHaveLength(2);
});

it('counting records ends when it is told to', async () => {
  let ended = false;
  const begun = Promise.withResolvers<void>();
  const counting = startRecordCounting(
    {
      async countAccessRecords({ isStopping = () => false } = {}) {
        begun.resolve();
        while (!isStopping()) await new Promise((done) => setImmediate(done));
        ended = true;
      },
    },
    { error: () => undefined },
  );
  await begun.promise;
  await counting.stop();
  expect(ended).toBe(true);
});
