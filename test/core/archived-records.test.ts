import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AccessRecord,
  type AccessRecordArchive,
  ArchiveUnavailable,
  OperatorError,
  type Page,
} from '#core';
import { propertyRuns } from '../support/property-runs.ts';
import { createWorld, day, expectOperatorError, start } from './world.ts';

const dayOf = (instant: Date) => instant.toISOString().slice(0, 10);

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

/** A company whose records are in the database and the archive; the days that the archive cannot read are given. */
async function arrange(
  made: readonly Made[],
  archived: readonly number[],
  unreadable: Set<string>,
) {
  const world = createWorld(({ accessRecordArchive }) => {
    const readable =
      <Filter extends { limit: number }, Kept extends AccessRecord>(
        list: (filter: Filter) => Promise<{ readonly records: readonly Kept[] }>,
      ) =>
      async (filter: Filter) => {
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
  const midnight = Date.parse(dayOf(start));
  const records = made.map(({ daysAgo, milliseconds, scope }, index) => ({
    id: `rec_${String(index).padStart(4, '0')}`,
    occurredAt: new Date(midnight - daysAgo * day + milliseconds),
    requestId: `req_${index}`,
    protocol: 'rest' as const,
    keyId: caller.keyId,
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
    await accessRecordArchive.archiveDay(dayOf(new Date(midnight - days * day)), {});
  }
  for (const record of records.filter((record, index) => !isPunctual(record, index))) {
    await accessRecords.record(record);
  }
  return { world, self, companyId, records };
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
          const lostDay = dayOf(new Date(Date.parse(dayOf(start)) - lost * day));
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
    const made = [0, 3, 4].map((daysAgo) => ({
      daysAgo,
      milliseconds: 0,
      scope: 'metrics:read' as const,
      isLate: false,
    }));
    const lost = new Set([dayOf(new Date(+start - 4 * day))]);
    const { world, companyId } = await arrange(made, [3, 4], lost);
    const list = await world.operator.listCompanyAccessRecords({ companyId, limit: 10 });
    expect(list.records.map(({ id }) => id)).toEqual(['rec_0000', 'rec_0001']);
    expect(list.hasMore).toBe(true);
    expect(list.unread?.before).toEqual(new Date(Date.parse(dayOf(start)) - 3 * day));
    const enough = await world.operator.listCompanyAccessRecords({ companyId, limit: 1 });
    expect(enough).toMatchObject({ hasMore: true, unread: null });
  });

  test('an investor gets a list that needs nothing of it, and is refused any other', async () => {
    const made = [0, 3].map((daysAgo) => ({
      daysAgo,
      milliseconds: 0,
      scope: 'metrics:read' as const,
      isLate: false,
    }));
    const lost = new Set([dayOf(new Date(+start - 3 * day))]);
    const { world, records } = await arrange(made, [3], lost);
    const caller = {
      investorId: records[0]?.investorId,
      scopes: ['metrics:read'],
    } as unknown as Parameters<typeof world.callers.listAccessRecords>[0];
    const recent = { since: new Date(+start - day), limit: 10 };
    expect(await world.callers.listAccessRecords(caller, recent)).toHaveLength(1);
    await expect(world.callers.listAccessRecords(caller, { limit: 10 })).rejects.toThrow(
      ArchiveUnavailable,
    );
  });

  test('today and the two days before it are not archived', async () => {
    const { operator, clock } = createWorld();
    const yesterday = new Date(+new Date(dayOf(clock.now())) - day);
    await expectOperatorError(
      operator.archiveAccessRecords({ before: yesterday }),
      'invalid',
      'today and the two days before it',
    );
    await operator.archiveAccessRecords({ before: new Date(+yesterday - day) });
  });

  test('a day that somebody else has archived meanwhile is passed over', async () => {
    const { world, attempts } = archiving(['2020-01-01', '2020-01-02', '2020-01-03'], {
      '2020-01-01': new OperatorError('not_found', 'gone'),
    });
    const before = new Date('2020-01-03');
    const archived = await world.operator.archiveAccessRecords({ before });
    expect(archived.map(({ day }) => day)).toEqual(['2020-01-02']);
    expect(attempts).toEqual(['2020-01-01', '2020-01-02']);
  });

  test('a day whose records are not at rest is tried three times, and ends the run', async () => {
    const { world, attempts } = archiving(['2020-01-01', '2020-01-02'], {
      '2020-01-01': new OperatorError('conflict', 'records of 2020-01-01 have come meanwhile'),
    });
    await expectOperatorError(
      world.operator.archiveAccessRecords({ before: new Date('2020-01-03') }),
      'conflict',
      'have come meanwhile',
    );
    expect(attempts).toEqual(['2020-01-01', '2020-01-01', '2020-01-01']);
  });
});

/** A world with these days in the database, some of which refuse to be archived. */
function archiving(days: readonly string[], refusals: Readonly<Record<string, OperatorError>>) {
  const attempts: string[] = [];
  const world = createWorld(({ accessRecordArchive }) => ({
    accessRecordArchive: {
      ...accessRecordArchive,
      listDays: async () => [...days],
      async archiveDay(day: string) {
        attempts.push(day);
        const refusal = refusals[day];
        if (refusal) throw refusal;
        return { day, records: 1, bytes: 1 };
      },
    },
  }));
  return { world, attempts };
}
