import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type AccessRecord, foldRefusals, refusalIdentity } from '#core';
import { RefusalQueue, type RefusalQueueSettings } from '../../db/connections/refusal-queue.ts';
import { anAccessRecord } from '../contracts/builders.ts';

const aRefusal = (overrides: Partial<AccessRecord> = {}) =>
  anAccessRecord({
    ...{ requestId: 'req_1', keyId: 'key_1', companyId: 'co_1' },
    ...{ grantId: null, outcome: 'access_required' },
    ...overrides,
  });

const differentRefusals = (count: number) =>
  Array.from({ length: count }, (_, index) => aRefusal({ companyId: `co_${index}` }));

const few = <Value>(...values: Value[]) => fc.constantFrom(...values);
const anyRefusal = fc
  .record({
    requestId: few('req_1', 'req_2'),
    keyId: few('key_1', 'key_2'),
    companyId: few('co_1', 'co_2', null),
    scope: few('metrics:read', 'sources:read'),
    resource: few('metrics', 'metric', 'sources'),
    metricKey: few('cash', 'burn', null),
    outcome: few('access_required', 'access_pending', 'company_not_found'),
  })
  .map((differing) => aRefusal(differing as Partial<AccessRecord>));

describe('access records of refused reads', () => {
  test('are equal if API request, key, company, scope, resource, metric and reason are equal', () => {
    fc.assert(
      fc.property(anyRefusal, anyRefusal, (one, other) => {
        const isAlike =
          one.requestId === other.requestId &&
          one.keyId === other.keyId &&
          one.companyId === other.companyId &&
          one.scope === other.scope &&
          one.resource === other.resource &&
          one.metricKey === other.metricKey &&
          one.outcome === other.outcome;
        expect(refusalIdentity(one) === refusalIdentity(other)).toBe(isAlike);
      }),
    );
  });

  test('are merged into the first record, which then has the sum of their counts', () => {
    const [one, two] = [aRefusal({ count: 3 }), aRefusal({ id: 'rec_2', count: 4 })];
    expect(foldRefusals(one, two)).toEqual({ ...one, count: 7 });
  });
});

describe('the queue that writes access records of refused reads', () => {
  let written: AccessRecord[][];
  let repetitions: boolean[];
  let errors: unknown[];
  let dropped: number[];
  let fail: (() => Promise<void>) | null;

  beforeEach(() => {
    vi.useFakeTimers();
    written = [];
    repetitions = [];
    errors = [];
    dropped = [];
    fail = null;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const create = (settings: Partial<RefusalQueueSettings> = {}) =>
    new RefusalQueue({
      async write(refusals, isRepetition) {
        repetitions.push(isRepetition);
        await fail?.();
        written.push([...refusals]);
      },
      capacity: 10,
      recordsPerStatement: 4,
      gatherMilliseconds: 100,
      retryMilliseconds: 500,
      onError: (error) => errors.push(error),
      onRefusalsDropped: (count) => dropped.push(count),
      ...settings,
    });
  const down = async () => {
    throw Object.assign(new Error('gone'), { code: '57P01' });
  };
  const countOf = (records: readonly AccessRecord[]) =>
    records.reduce((sum, { count }) => sum + count, 0);

  test('writes records that arrive shortly after each other in one statement', async () => {
    const queue = create();
    const [first, second, third] = differentRefusals(3);
    queue.add(first as AccessRecord);
    await vi.advanceTimersByTimeAsync(50);
    queue.add(second as AccessRecord);
    queue.add(third as AccessRecord);
    expect(written).toEqual([]);
    await vi.advanceTimersByTimeAsync(50);
    expect(written).toEqual([[first, second, third]]);
  });

  test('keeps one record for any number of equal records', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRefusal, { maxLength: 60 }), async (refusals) => {
        written = [];
        const queue = create({ capacity: 1_000, recordsPerStatement: 1_000 });
        for (const refusal of refusals) queue.add(refusal);
        await queue.settle(1_000);
        const records = written.flat();
        expect(countOf(records)).toBe(refusals.length);
        expect(records.map(refusalIdentity)).toEqual([...new Set(refusals.map(refusalIdentity))]);
      }),
    );
  });

  test('writes statements of a limited size, one at a time', async () => {
    const queue = create({ capacity: 100 });
    for (const refusal of differentRefusals(10)) queue.add(refusal);
    await vi.advanceTimersByTimeAsync(200);
    expect(written.map((records) => records.length)).toEqual([4, 4, 2]);
  });

  test('waits while the database is unavailable, reports one error, and retries', async () => {
    const queue = create();
    fail = down;
    const refusals = differentRefusals(3);
    for (const refusal of refusals) queue.add(refusal);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(errors).toHaveLength(1);
    fail = null;
    await vi.advanceTimersByTimeAsync(500);
    expect(written).toEqual([refusals]);
    expect(repetitions.slice(0, 2)).toEqual([false, true]);
    expect(dropped).toEqual([]);
  });

  test('drops the newest records when it is full, and reports their number at most once a second', async () => {
    const queue = create();
    fail = down;
    const refusals = differentRefusals(500);
    for (const refusal of refusals) {
      queue.add(refusal);
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.advanceTimersByTimeAsync(1_000);
    expect(dropped.reduce((sum, count) => sum + count)).toBe(490);
    expect(dropped.length).toBeLessThanOrEqual(6);
    fail = null;
    await queue.settle(5_000);
    expect(written.flat()).toEqual(refusals.slice(0, 10));
  });

  test('counts a record that is equal to a waiting record, even if the queue is full', async () => {
    const queue = create({ capacity: 2, recordsPerStatement: 2 });
    fail = down;
    const [first, second] = differentRefusals(2) as [AccessRecord, AccessRecord];
    queue.add(first);
    queue.add(second);
    queue.add(second);
    fail = null;
    await queue.settle(1_000);
    expect(countOf(written.flat())).toBe(3);
    expect(dropped).toEqual([]);
  });

  test('drops a record that the database rejects, and then writes the next records', async () => {
    const queue = create({ recordsPerStatement: 1 });
    fail = async () => {
      fail = null;
      throw Object.assign(new Error('invalid'), { code: '23514' });
    };
    const [bad, good] = differentRefusals(2) as [AccessRecord, AccessRecord];
    queue.add(bad);
    queue.add(good);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(written).toEqual([[good]]);
    expect(dropped).toEqual([1]);
  });

  test('loses only the records that the database rejects, at any position in a statement', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.nat(39), { maxLength: 4 }),
        async (count, bad) => {
          written = [];
          dropped = [];
          errors = [];
          const isBad = ({ companyId }: AccessRecord) => bad.some((nr) => companyId === `co_${nr}`);
          const queue = create({
            capacity: 40,
            recordsPerStatement: 40,
            async write(refusals) {
              if (refusals.some(isBad)) throw Object.assign(new Error('no'), { code: '22021' });
              written.push([...refusals]);
            },
          });
          const refusals = differentRefusals(count);
          for (const refusal of refusals) queue.add(refusal);
          await queue.settle(1_000);
          queue.close();
          expect(written.flat()).toEqual(refusals.filter((refusal) => !isBad(refusal)));
          const lost = refusals.filter(isBad).length;
          expect(dropped).toEqual(lost === 0 ? [] : [lost]);
          expect(errors).toHaveLength(lost === 0 ? 0 : 1);
        },
      ),
    );
  });

  test('retries each record of a rejected statement separately, even after an outage', async () => {
    const refusals = differentRefusals(4);
    const [bad] = refusals as [AccessRecord];
    const tried: [number, boolean][] = [];
    const away = Object.assign(new Error('gone'), { code: '57P01' });
    const queue = create({
      async write(records, isRepetition) {
        tried.push([records.length, isRepetition]);
        if (tried.length === 2) throw away;
        if (records.includes(bad)) throw Object.assign(new Error('no'), { code: '23514' });
        written.push([...records]);
      },
    });
    for (const refusal of refusals) queue.add(refusal);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(tried).toEqual([
      [4, false],
      [1, true],
      [1, true],
      [1, true],
      [1, true],
      [1, true],
    ]);
    expect(written.flat()).toEqual(refusals.slice(1));
    expect(dropped).toEqual([1]);
  });

  test('retries until its time limit when it is closed, and then reports the number of lost records', async () => {
    const queue = create();
    fail = down;
    for (const refusal of differentRefusals(3)) queue.add(refusal);
    const settling = queue.settle(5_000);
    await vi.advanceTimersByTimeAsync(5_000);
    await settling;
    queue.close();
    expect(repetitions.length).toBeGreaterThan(5);
    expect(dropped).toEqual([3]);
    const tries = repetitions.length;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(repetitions).toHaveLength(tries);
  });

  describe('stops waiting at the time limit for a statement that hangs', () => {
    let end: PromiseWithResolvers<void>;
    let queue: RefusalQueue;

    beforeEach(async () => {
      end = Promise.withResolvers();
      queue = create({ recordsPerStatement: 1 });
      fail = () => end.promise;
      for (const refusal of differentRefusals(2)) queue.add(refusal);
      const settling = queue.settle(5_000);
      await vi.advanceTimersByTimeAsync(5_000);
      await settling;
    });

    test('and reports all its records as dropped if the outcome stays unknown', () => {
      queue.close();
      expect(dropped).toEqual([2]);
    });

    test('and reports only unsent records as dropped if the statement succeeds later', async () => {
      end.resolve();
      await vi.advanceTimersByTimeAsync(0);
      queue.close();
      expect(written).toHaveLength(1);
      expect(dropped).toEqual([1]);
    });

    test('and sends nothing more if the statement fails later', async () => {
      end.reject(new Error('cut'));
      await vi.advanceTimersByTimeAsync(10_000);
      queue.close();
      expect(repetitions).toEqual([false]);
      expect(dropped).toEqual([2]);
    });
  });
});
