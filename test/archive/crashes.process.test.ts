// @module-tag full
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ArchiveStep } from '#core';
import type { Composition } from '../../gateway/compose.ts';
import { isFull } from '../support/property-runs.ts';
import {
  type ArchivingDatabase,
  addParties,
  addRecords,
  aRecord,
  databases,
  daysAgo,
  instantOf,
  open,
  type Parties,
  postgresOnly,
} from './support.ts';

const steps: ArchiveStep[] = ['written', 'checked', 'in_place', 'listed', 'marked', 'removed'];
const archiver = fileURLToPath(new URL('./archive-process.ts', import.meta.url));

function harness(create: () => Promise<ArchivingDatabase>) {
  const day = daysAgo(7);
  const before = instantOf(daysAgo(6));
  let place: ArchivingDatabase;
  let composition: Composition;
  beforeAll(async () => {
    place = await create();
    composition = await open(place.environment);
  });
  afterAll(async () => {
    await composition?.database.close();
    await place?.remove();
  });
  return {
    day,
    before,
    environment: () => place.environment,
    archive: (onStep?: (day: string, step: ArchiveStep) => void) =>
      composition.operatorUseCases.archiveAccessRecords({ before, ...(onStep && { onStep }) }),
    async newRecords(): Promise<Parties> {
      const parties = await addParties(composition);
      const records = [1, 2, 3].map((second) =>
        aRecord(parties, { occurredAt: instantOf(day, second * 1000) }),
      );
      await addRecords(composition, records);
      return parties;
    },
    async listed({ company }: Parties) {
      const { items } = await composition.companyUseCases.listReceivedRecords(company);
      return items;
    },
    inDatabase: ({ companyId }: Parties) =>
      composition.database.repositories.accessRecords.listOfCompany({ companyId, limit: 10 }),
    inArchive: ({ companyId }: Parties) =>
      composition.database.repositories.accessRecordArchive.listOfCompany({ companyId, limit: 10 }),
    async files() {
      const names = await readdir(place.folder);
      return names.filter((name) => name.startsWith('access-records-'));
    },
  };
}

describe.each(databases)('archiving that fails, on $kind', ({ create }) => {
  const one = harness(create);

  // A day that was marked already has files; each of these attempts adds one part to the same day.
  test.each(steps)('at the step %s loses nothing and repeats nothing', async (failing) => {
    const files = (await one.files()).length;
    const parties = await one.newRecords();
    const before = await one.listed(parties);
    expect(before).toHaveLength(3);
    const failure = new Error('the disk is gone');

    await expect(
      one.archive((_, step) => {
        if (step === failing) throw failure;
      }),
    ).rejects.toBe(failure);

    expect(await one.listed(parties)).toEqual(before);
    await one.archive();
    expect(await one.listed(parties)).toEqual(before);
    expect(await one.inDatabase(parties)).toEqual([]);
    expect((await one.inArchive(parties)).records).toHaveLength(3);
    expect(await one.files()).toHaveLength(files + 2);
  });
});

describe.each(postgresOnly)(
  'a process that is killed while it archives, on $kind',
  ({ create }) => {
    const one = harness(create);

    const tried = isFull ? steps : steps.filter((step) => step === 'marked');
    test.each(tried)('at the step %s loses nothing and repeats nothing', async (killedAt) => {
      const files = (await one.files()).length;
      const parties = await one.newRecords();
      const before = await one.listed(parties);
      expect(before).toHaveLength(3);

      const child = spawn(process.execPath, [archiver, one.before.toISOString(), killedAt], {
        env: { PATH: process.env.PATH, ...one.environment() },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      expect((await once(child, 'exit'))[1]).toBe('SIGKILL');

      expect(await one.listed(parties)).toEqual(before);
      await one.archive();
      expect(await one.listed(parties)).toEqual(before);
      expect(await one.inDatabase(parties)).toEqual([]);
      expect((await one.inArchive(parties)).records).toHaveLength(3);
      expect(await one.files()).toHaveLength(files + 2);
    });
  },
);
