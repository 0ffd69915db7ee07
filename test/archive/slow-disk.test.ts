// @module-tag full
import { execFile } from 'node:child_process';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Composition } from '../../gateway/compose.ts';
import {
  type ArchivingDatabase,
  addParties,
  addRecords,
  aRecord,
  daysAgo,
  instantOf,
  listFiles,
  open,
  type Parties,
  postgresOnly,
} from './support.ts';

describe.each(postgresOnly)('an archive that takes long, on $kind', ({ create }) => {
  let place: ArchivingDatabase;
  let service: Composition;
  let command: Composition;
  let parties: Parties;

  beforeAll(async () => {
    place = await create();
    service = await open(place.environment);
    command = await open(place.environment, undefined, 'command');
    parties = await addParties(service);
    await addRecords(service, [aRecord(parties, { occurredAt: instantOf(daysAgo(5)) })]);
    await command.operatorUseCases.archiveAccessRecords({ before: instantOf(daysAgo(4)) });
  });
  afterAll(async () => {
    await service?.database.close();
    await command?.database.close();
    await place?.remove();
  });

  const list = ({ operatorUseCases }: Composition) =>
    operatorUseCases.listCompanyAccessRecords({ companyId: parties.companyId, limit: 10 });

  test('is given up by the service, and waited for by the command line', async () => {
    const names = await listFiles(place);
    const file = join(place.folder, names.find((name) => name.endsWith('.parquet')) ?? '');
    await rename(file, `${file}.kept`);
    // Whoever opens it waits until somebody writes.
    await promisify(execFile)('mkfifo', [file]);
    let isAnswered = false;
    const waiting = list(command).finally(() => {
      isAnswered = true;
    });
    const { unread } = await list(service);
    expect(unread?.reason.message).toBe('the archive has not answered within 4000 ms');
    expect(isAnswered).toBe(false);
    await writeFile(file, 'no file of records');
    const { unread: found, hasMore } = await waiting;
    expect(found?.reason.message).toContain('is not the file that was written');
    expect(hasMore).toBe(true);
    await rename(`${file}.kept`, file);
    expect(await list(command)).toMatchObject({ records: [{}], hasMore: false, unread: null });
  });
});
