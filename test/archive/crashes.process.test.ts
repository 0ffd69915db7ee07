// @module-tag full
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { ArchiveStep } from '#core';
import { isFull } from '../support/property-runs.ts';
import {
  type Archiving,
  addParties,
  databases,
  daysAgo,
  instantOf,
  listFiles,
  type Parties,
  postgresOnly,
  useArchive,
} from './support.ts';

const steps: ArchiveStep[] = ['written', 'checked', 'in_place', 'listed', 'marked', 'removed'];
const archiver = fileURLToPath(new URL('./archive-process.ts', import.meta.url));

const day = daysAgo(7);
const before = daysAgo(6);

async function newRecords(one: Archiving): Promise<Parties> {
  const parties = await addParties(one.composition);
  await one.add(day, [1000, 2000, 3000], parties);
  return parties;
}

const filesOf = async ({ place }: Archiving) =>
  (await listFiles(place)).filter((name) => name.startsWith('access-records-')).length;

/** What an attempt that failed, or was killed, must leave: everything, once. */
async function losesNothing(one: Archiving, attempt: () => Promise<void>): Promise<void> {
  const files = await filesOf(one);
  const parties = await newRecords(one);
  const listed = await one.listed(parties);
  expect(listed).toHaveLength(3);

  await attempt();

  expect(await one.listed(parties)).toEqual(listed);
  await one.archive(before);
  expect(await one.listed(parties)).toEqual(listed);
  expect(await one.inDatabase(parties)).toEqual([]);
  const { accessRecordArchive } = one.composition.database.repositories;
  const { companyId } = parties;
  expect((await accessRecordArchive.listOfCompany({ companyId, limit: 10 })).records).toHaveLength(
    3,
  );
  expect(await filesOf(one)).toBe(files + 2);
}

describe.each(databases)('archiving that fails, on $kind', ({ create }) => {
  const one = useArchive(create);

  // A day that was marked already has files; each of these attempts adds one part to the same day.
  test.each(steps)('at the step %s loses nothing and repeats nothing', (failing) =>
    losesNothing(one, async () => {
      const failure = new Error('the disk is gone');
      const failed = one.archive(before, (_, step) => {
        if (step === failing) throw failure;
      });
      await expect(failed).rejects.toBe(failure);
    }),
  );
});

describe.each(postgresOnly)(
  'a process that is killed while it archives, on $kind',
  ({ create }) => {
    const one = useArchive(create);

    const tried = isFull ? steps : steps.filter((step) => step === 'marked');
    test.each(tried)('at the step %s loses nothing and repeats nothing', (killedAt) =>
      losesNothing(one, async () => {
        const child = spawn(
          process.execPath,
          [archiver, instantOf(before).toISOString(), killedAt],
          {
            env: { PATH: process.env.PATH, ...one.place.environment },
            stdio: ['ignore', 'ignore', 'inherit'],
          },
        );
        expect((await once(child, 'exit'))[1]).toBe('SIGKILL');
      }),
    );
  },
);
