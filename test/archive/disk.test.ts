import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ArchiveStep } from '#core';
import type { Composition } from '../../gateway/compose.ts';
import { describeError } from '../../gateway/describe-error.ts';
import { runCommand } from '../cli/harness.ts';
import {
  type ArchivingDatabase,
  addParties,
  addRecords,
  aRecord,
  databases,
  daysAgo,
  instantOf,
  open,
} from './support.ts';

describe.each(databases.slice(0, 1))('a disk of the archive that fails, on $kind', ({ create }) => {
  let place: ArchivingDatabase;
  let composition: Composition;

  beforeAll(async () => {
    place = await create();
    composition = await open(place.environment);
    const parties = await addParties(composition);
    await addRecords(composition, [aRecord(parties, { occurredAt: instantOf(daysAgo(5)) })]);
  });
  afterAll(async () => {
    await composition?.database.close();
    await place?.remove();
  });

  // One of them while the records are read, the other while the day is dropped.
  test.each<ArchiveStep>(['checked', 'listed'])(
    'at the step %s is not taken for the database',
    async (failing) => {
      const error: unknown = await composition.operatorUseCases
        .archiveAccessRecords({
          before: instantOf(daysAgo(4)),
          async onStep(_, step) {
            if (step === failing) await rename(place.folder, `${place.folder}.away`);
          },
        })
        .catch((thrown: unknown) => thrown);
      await rename(`${place.folder}.away`, place.folder);
      const { message } = describeError(error);
      expect(message).toContain(`the archive at ${place.folder} cannot be used: ENOENT`);
      expect(message).toContain(join(place.folder, ''));
    },
  );

  test('is named when the folder cannot be made', async () => {
    const file = join(place.folder, 'a-file');
    await writeFile(file, '');
    const other = await open({ ...place.environment, ARCHIVE_DIR: join(file, 'archive') });
    const command = ['access-log', 'archive', '--before', daysAgo(4)];
    const { stderr } = await runCommand(command, { composition: other });
    expect(stderr).toContain(`the archive at ${file}/archive cannot be used: ENOTDIR`);
    await other.database.close();
    await rm(file);
  });
});
