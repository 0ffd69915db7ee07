import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ArchiveStep } from '#core';
import { describeError } from '../../gateway/describe-error.ts';
import { runCommand } from '../cli/harness.ts';
import { databases, daysAgo, instantOf, open, useArchive } from './support.ts';

describe.each(databases.slice(0, 1))('a disk of the archive that fails, on $kind', ({ create }) => {
  const one = useArchive(create);

  beforeAll(async () => {
    await one.add(daysAgo(5));
  });

  // One of them while the records are read, the other while the day is dropped.
  test.each<ArchiveStep>(['checked', 'listed'])(
    'at the step %s is not taken for the database',
    async (failing) => {
      const error: unknown = await one.composition.operatorUseCases
        .archiveAccessRecords({
          before: instantOf(daysAgo(4)),
          async onStep(_, step) {
            if (step === failing) await rename(one.place.folder, `${one.place.folder}.away`);
          },
        })
        .catch((thrown: unknown) => thrown);
      await rename(`${one.place.folder}.away`, one.place.folder);
      const { message } = describeError(error);
      expect(message).toContain(`the archive at ${one.place.folder} cannot be used: ENOENT`);
      expect(message).toContain(join(one.place.folder, ''));
    },
  );

  test('is named when the folder cannot be made', async () => {
    const file = join(one.place.folder, 'a-file');
    await writeFile(file, '');
    const other = await open({ ...one.place.environment, ARCHIVE_DIR: join(file, 'archive') });
    const command = ['access-log', 'archive', '--before', daysAgo(4)];
    const { stderr } = await runCommand(command, { composition: other });
    expect(stderr).toContain(`the archive at ${file}/archive cannot be used: ENOTDIR`);
    await other.database.close();
    await rm(file);
  });
});
