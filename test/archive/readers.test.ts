import { appendFile, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type AccessRecord, ArchiveUnavailable, type Page, type ReceivedRecord } from '#core';
import { anInvestor } from '../contracts/builders.ts';
import { isFull } from '../support/property-runs.ts';
import { recordsIn } from '../support/records-in.ts';
import {
  addParties,
  addRecords,
  aRecord,
  databases,
  daysAgo,
  instantOf,
  type Parties,
  postgresOnly,
  useArchive,
  withDatabase,
} from './support.ts';

describe.each(databases)('records in two places, on $kind', ({ create }) => {
  const problems: string[] = [];
  const one = useArchive(create, (error) => {
    problems.push(error instanceof Error ? error.message : String(error));
  });

  beforeAll(async () => {
    const { composition, parties } = one;
    // A few of the same instant, on both sides of each midnight.
    const records = [7, 6, 5, 4, 3, 1, 0].flatMap((days) =>
      [0, 0, 1, 86_399_999].map((milliseconds, index) =>
        aRecord(parties, {
          occurredAt: instantOf(daysAgo(days), milliseconds),
          scope: index === 1 ? 'sources:read' : 'metrics:read',
          ...(index === 2 && { outcome: 'access_required', grantId: null, count: 3 }),
        } as Partial<AccessRecord>),
      ),
    );
    await addRecords(composition, records);
    // One whom the company does not see: it is of the other environment.
    const stranger = anInvestor({ environment: 'test' });
    await composition.database.repositories.directory.addInvestor(stranger);
    await addRecords(composition, [
      aRecord({ ...parties, investor: stranger }, { occurredAt: instantOf(daysAgo(6), 5) }),
    ]);
  });

  async function walk(filter: object): Promise<ReceivedRecord[]> {
    const all: ReceivedRecord[] = [];
    for (let cursor: string | null = null; ; ) {
      const page: Page<ReceivedRecord> = await one.composition.companyUseCases.listReceivedRecords(
        one.parties.company,
        { ...filter, cursor },
      );
      all.push(...page.items);
      if (page.nextCursor === null) return all;
      cursor = page.nextCursor;
    }
  }

  const walks = async () => {
    const { investor } = one.parties;
    const span = { since: instantOf(daysAgo(6), 1), until: instantOf(daysAgo(4)) };
    const company = [];
    for (const limit of [1, 3, 4, 100]) {
      for (const filter of [
        {},
        { scope: 'metrics:read' },
        { scope: 'sources:read', investorId: investor.id },
        { investorId: 'inv_nobody' },
        span,
      ]) {
        company.push(await walk({ ...filter, limit }));
      }
    }
    const { operatorUseCases, investorUseCases } = one.composition;
    const { companyId, keyId, caller } = one.parties;
    return {
      company,
      operator: [
        await operatorUseCases.listCompanyAccessRecords({ companyId, keyId, limit: 5, ...span }),
        await operatorUseCases.listCompanyAccessRecords({ companyId, limit: 100 }),
      ],
      investor: [
        await investorUseCases.listAccessRecords(caller, { first: 9 }),
        await investorUseCases.listAccessRecords(caller, { first: 1000 }),
        await investorUseCases.listAccessRecords(caller, { first: 1000, companyId }),
        await investorUseCases.listAccessRecords(caller, { first: 1000, since: span.since }),
        await investorUseCases.listAccessRecords(
          { ...caller, scopes: ['sources:read'] },
          { first: 1000 },
        ),
      ].map(recordsIn),
    };
  };

  const statistics = () =>
    one.composition.companyUseCases.readAccessStatistics(one.parties.company, {
      since: instantOf(daysAgo(9)),
    });
  const countAll = () => one.composition.serviceUseCases.countAccessRecords();

  test('are listed as when they were in one, day by day as they are archived', async () => {
    await countAll();
    const counted = await statistics();
    const before = await walks();
    expect(before.company.at(-2)).toEqual([]);
    expect(before.operator[1]?.records).toHaveLength(29);
    for (const days of isFull ? [6, 4, 2] : [4, 2]) {
      await one.archive(daysAgo(days));
      expect(await walks()).toEqual(before);
      expect(await statistics()).toEqual(counted);
    }
    expect(await one.inDatabase()).toHaveLength(8);
  });

  test('one that comes late for an archived day is listed and counted, and archived the next time', async () => {
    const late = aRecord(one.parties, { occurredAt: instantOf(daysAgo(5), 2) });
    const before = await walk({ limit: 100 });
    const { total } = await statistics();
    await addRecords(one.composition, [late]);
    await countAll();

    const position = before.filter(({ occurredAt }) => occurredAt > late.occurredAt).length;
    const after = await walk({ limit: 4 });
    expect(after.map(({ id }) => id)).toEqual(
      before.map(({ id }) => id).toSpliced(position, 0, late.id),
    );
    const more = await statistics();
    expect(more.total).toMatchObject({ allowed: total.allowed + 1, refused: total.refused });

    expect(await one.archive(daysAgo(2))).toMatchObject([{ day: daysAgo(5), records: 1 }]);
    expect(await walk({ limit: 4 })).toEqual(after);
    await countAll();
    expect(await statistics()).toEqual(more);
    const other = aRecord(one.parties, {
      occurredAt: instantOf(daysAgo(5), 2),
      scope: 'sources:read',
    });
    await addRecords(one.composition, [other]);
    await countAll();
    expect((await statistics()).total).toMatchObject({ allowed: total.allowed + 2 });
    await one.archive(daysAgo(2));
  });

  test('a changed file is refused, and what needs none of it goes on', async () => {
    const all = await walk({ limit: 100 });
    const newest = all.filter(({ occurredAt }) => occurredAt >= instantOf(daysAgo(4)));
    const [name] = (await readdir(one.place.folder)).filter((each) =>
      each.startsWith(`access-records-${daysAgo(5)}`),
    );
    const path = join(one.place.folder, name ?? '');
    await rename(path, `${path}.kept`);
    await writeFile(path, 'not at all a file of records');

    const page = await one.composition.companyUseCases.listReceivedRecords(one.parties.company, {
      limit: 100,
    });
    expect(page.items.map(({ id }) => id)).toEqual(newest.map(({ id }) => id));
    expect(page.nextCursor).not.toBeNull();
    const next = one.composition.companyUseCases.listReceivedRecords(one.parties.company, {
      limit: 100,
      cursor: page.nextCursor,
    });
    await expect(next).rejects.toThrow(ArchiveUnavailable);
    await expect(next).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(problems.at(-1)).toBe(`${name} is not the file that was written: its digest differs`);

    await rename(`${path}.kept`, path);
    expect(await walk({ limit: 100 })).toEqual(all);
    await appendFile(path, ' ');
    await expect(walk({ limit: 100 })).rejects.toThrow(ArchiveUnavailable);
  });

  test('a folder that is away is no obstacle to what is in the database', async () => {
    await rename(one.place.folder, `${one.place.folder}.away`);
    try {
      const recent = await walk({ since: instantOf(daysAgo(1)) });
      expect(recent).toHaveLength(8);
      const page = await one.composition.companyUseCases.listReceivedRecords(
        one.parties.company,
        {},
      );
      expect(page.items).toHaveLength(8);
      await expect(walk({})).rejects.toThrow(ArchiveUnavailable);
      expect(problems.at(-1)).toContain('ENOENT');
      const { records, unread } = await one.composition.operatorUseCases.listCompanyAccessRecords({
        companyId: one.parties.companyId,
        limit: 100,
      });
      expect(records).toHaveLength(8);
      expect(unread?.before).toEqual(instantOf(daysAgo(2)));
    } finally {
      await rename(`${one.place.folder}.away`, one.place.folder);
    }
  });
});

describe.each(postgresOnly)('a day that is being archived, on $kind', ({ create }) => {
  const one = useArchive(create);

  test('takes in a record that comes before it is removed', async () => {
    const parties = await addParties(one.composition);
    const day = daysAgo(3);
    await one.add(day, [1], parties);
    const late = aRecord(parties, { occurredAt: instantOf(day, 2) });
    let attempts = 0;
    const archived = await one.composition.operatorUseCases.archiveAccessRecords({
      before: instantOf(daysAgo(2)),
      async onStep(_, step) {
        if (step !== 'listed') return;
        attempts += 1;
        if (attempts === 1) await one.composition.database.repositories.accessRecords.record(late);
      },
    });
    expect(attempts).toBe(2);
    expect(archived).toMatchObject([{ day, records: 2 }]);
    const items = await one.listed(parties);
    expect(items[0]?.id).toBe(late.id);
    expect(items).toHaveLength(2);
    const files = async () =>
      (await readdir(one.place.folder)).filter((name) => name.startsWith(`access-records-${day}`));
    // What the first attempt has left may be another process's, about to be named, until it is a day old.
    expect(await files()).toHaveLength(4);
    for (const name of await files()) {
      await utimes(join(one.place.folder, name), instantOf(daysAgo(2)), instantOf(daysAgo(2)));
    }
    await one.archive(daysAgo(2));
    expect(await files()).toHaveLength(2);
    expect(await one.listed(parties)).toEqual(items);
  });

  test('is left to the process that writes it, and counts as done when that has ended', async () => {
    const parties = await addParties(one.composition);
    const day = daysAgo(5);
    await one.add(day, [1], parties);
    const archive = one.composition.operatorUseCases.archiveAccessRecords;
    const before = instantOf(daysAgo(4));
    const refusals: unknown[] = [];
    const inner: unknown[] = [];
    const archived = await archive({
      before,
      async onStep(_, step) {
        if (step === 'written') {
          await archive({ before }).catch((error: Error) => refusals.push(error.message));
        }
        if (step === 'removed') inner.push(...(await archive({ before })));
      },
    });
    expect(archived).toMatchObject([{ day, records: 1 }]);
    expect(refusals).toEqual(['another process archives access records at the moment']);
    expect(inner).toEqual([]);
  });

  test('of others is not opened for an investor who has no record in it', async () => {
    const [parties, others] = [
      await addParties(one.composition),
      await addParties(one.composition),
    ];
    const ofParties = await one.add(daysAgo(8), [1], parties);
    await one.add(daysAgo(9), [1], others);
    await one.archive(daysAgo(7));
    for (const name of await readdir(one.place.folder)) {
      if (name.includes(daysAgo(9))) await rm(join(one.place.folder, name));
    }
    const list = async ({ caller }: Parties) =>
      recordsIn(await one.composition.investorUseCases.listAccessRecords(caller, { first: 10 }));
    expect(await list(parties)).toEqual(ofParties);
    await expect(list(others)).rejects.toThrow(ArchiveUnavailable);
  });

  test('that is not counted yet stays in the database', async () => {
    const parties = await addParties(one.composition);
    await one.add(daysAgo(4), [1], parties);
    await one.composition.serviceUseCases.countAccessRecords();
    await withDatabase(
      one.place.url ?? '',
      `update access_record_counted set counted_until = '${daysAgo(4)}', next_until = null, next_transaction = null`,
    );
    await expect(
      one.composition.database.repositories.accessRecordArchive.archiveDay(daysAgo(4), {}),
    ).rejects.toThrow('not all counted yet');
    const { records } = await one.composition.operatorUseCases.listCompanyAccessRecords({
      companyId: parties.companyId,
      limit: 10,
    });
    expect(records).toHaveLength(1);
  });
});
