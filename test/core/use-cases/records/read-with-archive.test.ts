import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AccessRecord,
  type AccessRecordArchive,
  ArchiveUnavailable,
  type Page,
  Refusal,
} from '#core';
import { readWithArchive } from '../../../../core/use-cases/records/read-with-archive.ts';
import { propertyRuns } from '../../../support/property-runs.ts';
import { recordsIn } from '../../../support/records-in.ts';
import { createWorld, day, expectRefusalSaying, start } from '../../world.ts';

const dayOf = (instant: Date) => instant.toISOString().slice(0, 10);

const midnight = new Date(dayOf(start));

const daysBefore = (days: number) => new Date(midnight.getTime() - days * day);

/** Records of eight days, many of the same instant, some of them of an archived day but in the database still. */
const history = fc.array(
  fc.record({
    daysAgo: fc.integer({ min: 0, max: 7 }),
    milliseconds: fc.integer({ min: 0, max: 3 }),
    scope: fc.constantFrom('metrics:read', 'sources:read'),
    isLate: fc.boolean(),
  }),
  { maxLength: 40 },
);
const archivedDays = fc.uniqueArray(fc.integer({ min: 2, max: 7 }));

const question = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  scope: fc.option(fc.constantFrom('metrics:read' as const, 'sources:read' as const)),
  since: fc.option(fc.integer({ min: 0, max: 8 }).map((days) => new Date(+start - days * day))),
  until: fc.option(fc.integer({ min: 0, max: 8 }).map((days) => new Date(+start - days * day))),
});

type Generated<Of> = Of extends fc.Arbitrary<infer Value> ? Value : never;
type Made = Generated<typeof history>[number];

/** A record of each of these days, none of them late. */
const madeOn = (...days: readonly number[]): Made[] =>
  days.map((daysAgo) => ({ daysAgo, milliseconds: 0, scope: 'metrics:read', isLate: false }));

/** A company whose records are in the database and the archive; the days that the archive cannot read are given. */
async function arrange(
  made: readonly Made[],
  archived: readonly number[],
  unreadable: Set<string>,
) {
  const asked: (Date | undefined)[] = [];
  const world = createWorld(({ accessRecordArchive }) => {
    const readable =
      <Filter extends { limit: number; since?: Date | undefined }, Kept extends AccessRecord>(
        list: (filter: Filter) => Promise<{ readonly records: readonly Kept[] }>,
      ) =>
      async (filter: Filter) => {
        asked.push(filter.since);
        const { records } = await list({ ...filter, limit: 10_000 });
        const first = records.findIndex(({ occurredAt }) => unreadable.has(dayOf(occurredAt)));
        const known = first === -1 || first >= filter.limit ? records : records.slice(0, first);
        const unread = known.length === records.length ? null : records[first]?.occurredAt;
        return {
          records: known.slice(0, filter.limit),
          unread: unread
            ? { before: new Date(Date.parse(dayOf(unread)) + day), reason: new Error('away') }
            : null,
        };
      };
    const archive: AccessRecordArchive = {
      ...accessRecordArchive,
      listOfInvestor: readable(accessRecordArchive.listOfInvestor),
      listOfCompany: readable(accessRecordArchive.listOfCompany),
      listReceived: readable(accessRecordArchive.listReceived),
    };
    return { accessRecordArchive: archive };
  });
  const { accessRecords, accessRecordArchive } = world.ports;
  const { caller, companyId } = await world.newcomer();
  const self = await world.admitCompany(companyId);
  const records = made.map(({ daysAgo, milliseconds, scope }, index) => ({
    id: `rec_${String(index).padStart(4, '0')}`,
    occurredAt: new Date(+daysBefore(daysAgo) + milliseconds),
    requestId: `req_${index}`,
    protocol: 'rest' as const,
    keyId: caller.credentialId,
    contactId: null,
    investorId: caller.investorId,
    companyId,
    scope,
    resource: 'metrics' as const,
    metricKey: null,
    grantId: 'ar_1',
    outcome: 'allowed' as const,
    count: 1,
  }));
  const isPunctual = (_: unknown, index: number) => made[index]?.isLate === false;
  for (const record of records.filter(isPunctual)) await accessRecords.record(record);
  for (const days of archived) {
    await accessRecordArchive.archiveDay(dayOf(daysBefore(days)), {});
  }
  for (const record of records.filter((record, index) => !isPunctual(record, index))) {
    await accessRecords.record(record);
  }
  /** The list of the investor. */
  const list = async ({ limit, ...filter }: { limit: number; since?: Date }) =>
    recordsIn(await world.callers.listAccessRecords(caller, { ...filter, first: limit })).map(
      ({ id }) => id,
    );
  return { world, self, companyId, list, asked };
}

async function walk(
  { world, self }: Awaited<ReturnType<typeof arrange>>,
  { limit, ...filter }: Generated<typeof question>,
) {
  const ids: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Page<AccessRecord> | null = await world.companies
      .listReceivedRecords(self, { ...filter, limit, cursor })
      .catch((error: unknown) => {
        if (error instanceof ArchiveUnavailable) return null;
        throw error;
      });
    if (page === null) return { ids, isWhole: false };
    ids.push(...page.items.map(({ id }) => id));
    if (page.nextCursor === null) return { ids, isWhole: true };
    cursor = page.nextCursor;
  }
}

describe('the records of a company of which days are archived', () => {
  test('are paged as if none were, whatever was archived and came later', async () => {
    await fc.assert(
      fc.asyncProperty(history, archivedDays, question, async (made, archived, asked) => {
        const plain = await walk(await arrange(made, [], new Set()), asked);
        const both = await walk(await arrange(made, archived, new Set()), asked);
        expect(both).toEqual(plain);
      }),
      { numRuns: propertyRuns(400) },
    );
  });

  test('end where the archive cannot be read: none is skipped, and the caller is told', async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        archivedDays,
        fc.integer({ min: 2, max: 7 }),
        question,
        async (made, archived, lost, asked) => {
          const lostDay = dayOf(daysBefore(lost));
          const plain = await walk(await arrange(made, [], new Set()), asked);
          const some = await walk(await arrange(made, archived, new Set([lostDay])), asked);
          expect(some.ids).toEqual(plain.ids.slice(0, some.ids.length));
          expect(some.isWhole).toBe(some.ids.length === plain.ids.length && some.isWhole);
          if (some.isWhole) expect(some.ids).toEqual(plain.ids);
        },
      ),
      { numRuns: propertyRuns(400) },
    );
  });

  test('an operator gets those that are known, and learns from when on others are missing', async () => {
    const late = madeOn(5).map((record) => ({ ...record, isLate: true }));
    const lost = new Set([dayOf(daysBefore(4))]);
    const { world, companyId } = await arrange([...madeOn(0, 3, 4), ...late], [3, 4], lost);
    const list = await world.operator.listCompanyAccessRecords({ companyId, limit: 10 });
    expect(list.records.map(({ id }) => id)).toEqual(['rec_0000', 'rec_0001']);
    expect(list.hasMore).toBe(true);
    expect(list.unread?.before).toEqual(daysBefore(3));
    const enough = await world.operator.listCompanyAccessRecords({ companyId, limit: 1 });
    expect(enough).toMatchObject({ hasMore: true, unread: null });
  });

  test('an investor gets a list that needs nothing of it, and is refused any other', async () => {
    const { list } = await arrange(madeOn(0, 3), [3], new Set([dayOf(daysBefore(3))]));
    expect(await list({ since: daysBefore(1), limit: 10 })).toEqual(['rec_0000']);
    const refused = list({ limit: 10 });
    await expectRefusalSaying(refused, 'service_unavailable', /^These access records are in an/);
    await expect(refused).rejects.toMatchObject({ cause: { message: 'away' } });
  });

  test('an investor gets the newest of both, and no more than it asked for', async () => {
    const { list, world, companyId } = await arrange(madeOn(0, 1, 3, 4), [3, 4], new Set());
    expect(await list({ limit: 3 })).toEqual(['rec_0000', 'rec_0001', 'rec_0002']);
    const filter = { companyId, limit: 3 };
    const { records } = await readWithArchive(world.ports, 'listOfCompany', filter);
    expect(records.map(({ id }) => id)).toEqual(['rec_0000', 'rec_0001', 'rec_0002']);
  });

  // A page looks for one record more than it shows.
  test('the archive is asked only for what may be there and in the list', async () => {
    const askedFor = async (filter: { limit: number; since?: Date }) => {
      const { list, asked } = await arrange(madeOn(0, 1, 4), [], new Set());
      await list(filter);
      return asked;
    };
    const justBefore = new Date(+daysBefore(1) - 1);
    expect(await askedFor({ limit: 1 })).toEqual([]);
    expect(await askedFor({ limit: 2 })).toEqual([daysBefore(4)]);
    expect(await askedFor({ limit: 3 })).toEqual([undefined]);
    expect(await askedFor({ limit: 3, since: daysBefore(1) })).toEqual([]);
    expect(await askedFor({ limit: 3, since: justBefore })).toEqual([justBefore]);
    expect(await askedFor({ limit: 2, since: daysBefore(5) })).toEqual([daysBefore(4)]);
  });

  test('a page ends where the archive cannot be read, and the next one goes on once it can', async () => {
    const today = [1, 2, 3].flatMap((milliseconds) =>
      madeOn(0).map((record) => ({ ...record, milliseconds })),
    );
    const lost = new Set([dayOf(daysBefore(3))]);
    const { world, self } = await arrange([...madeOn(3), ...today], [3], lost);
    const page = async (cursor: string | null) => {
      const { items, nextCursor } = await world.companies.listReceivedRecords(self, { cursor });
      return { ids: items.map(({ id }) => id), nextCursor };
    };
    const first = await page(null);
    expect(first).toEqual({
      ids: ['rec_0003', 'rec_0002', 'rec_0001'],
      nextCursor: expect.any(String),
    });
    await expect(page(first.nextCursor)).rejects.toThrow(ArchiveUnavailable);
    lost.clear();
    expect(await page(first.nextCursor)).toEqual({ ids: ['rec_0000'], nextCursor: null });
  });

  test('today and the two days before it are not archived', async () => {
    const { operator, clock } = createWorld();
    const yesterday = new Date(+new Date(dayOf(clock.now())) - day);
    await expectRefusalSaying(
      operator.archiveAccessRecords({ before: yesterday }),
      'invalid_parameter',
      'today and the two days before it',
    );
    await operator.archiveAccessRecords({ before: new Date(+yesterday - day) });
  });

  test('a day that somebody else has archived meanwhile is passed over', async () => {
    const gone = new Map([['2020-01-01', new Refusal('access_log_day_not_found')]]);
    const { world, attempts } = archiving(['2020-01-01', '2020-01-02', '2020-01-03'], gone);
    const before = new Date('2020-01-03');
    const archived = await world.operator.archiveAccessRecords({ before });
    expect(archived.map(({ day }) => day)).toEqual(['2020-01-02']);
    expect(attempts).toEqual(['2020-01-01', '2020-01-02']);
  });

  test('a day whose records are not at rest is tried three times, and ends the run', async () => {
    const { world, attempts } = archiving(
      ['2020-01-01', '2020-01-02'],
      new Map([['2020-01-01', restless]]),
    );
    await expectRefusalSaying(
      world.operator.archiveAccessRecords({ before: new Date('2020-01-03') }),
      'access_log_day_changed',
      'have come meanwhile',
    );
    expect(attempts).toEqual(['2020-01-01', '2020-01-01', '2020-01-01']);
  });

  test.each([new Refusal('signing_key_missing'), new Error('the disk is full')])(
    'what %s keeps from being archived ends the run at once',
    async (failure) => {
      const { world, attempts } = archiving(
        ['2020-01-01', '2020-01-02'],
        new Map([['2020-01-01', failure]]),
      );
      const run = world.operator.archiveAccessRecords({ before: new Date('2020-01-03') });
      await expect(run).rejects.toBe(failure);
      expect(attempts).toEqual(['2020-01-01']);
    },
  );

  test('what they come to is counted before they go, and anew when others came meanwhile', async () => {
    const refusals = new Map([['2020-01-01', restless]]);
    const { world, steps } = archiving(['2020-01-01', '2020-01-02'], refusals, async () => {
      if (steps.length > 1) refusals.clear();
      return false;
    });
    const told: string[] = [];
    const archived = await world.operator.archiveAccessRecords({
      before: new Date('2020-01-03'),
      onArchived: ({ day }) => void told.push(day),
    });
    expect(steps).toEqual(['count', '2020-01-01', 'count', '2020-01-01', '2020-01-02']);
    expect(archived.map(({ day }) => day)).toEqual(['2020-01-01', '2020-01-02']);
    expect(told).toEqual(['2020-01-01', '2020-01-02']);
  });

  test('a run that is told to stop counts no further, and archives nothing', async () => {
    const stop = new AbortController();
    const { world, steps } = archiving(['2020-01-01'], new Map(), async () => {
      if (steps.length === 2) stop.abort(new Error('told to stop'));
      if (steps.length > 9) throw new Error('it goes on');
      return true;
    });
    const input = { before: new Date('2020-01-03'), signal: stop.signal };
    await expect(world.operator.archiveAccessRecords(input)).rejects.toThrow('told to stop');
    expect(steps).toEqual(['count', 'count']);
  });
});

const restless = new Refusal('access_log_day_changed');

/** A world with these days in the database, some of which refuse to be archived. */
function archiving(
  days: readonly string[],
  refusals: ReadonlyMap<string, Error>,
  countNext = async () => false,
) {
  const attempts: string[] = [];
  const steps: string[] = [];
  const world = createWorld(({ accessRecordArchive, accessStatistics }) => ({
    accessRecordArchive: {
      ...accessRecordArchive,
      listDays: async () => [...days],
      async archiveDay(day: string) {
        attempts.push(day);
        steps.push(day);
        const refusal = refusals.get(day);
        if (refusal) throw refusal;
        return { day, records: 1, bytes: 1 };
      },
    },
    accessStatistics: {
      ...accessStatistics,
      countNext() {
        steps.push('count');
        return countNext();
      },
    },
  }));
  return { world, attempts, steps };
}
