import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '#db';
import type { Composition } from '../../gateway/compose.ts';
import { withClient } from '../support/databases.ts';
import {
  type ArchivingDatabase,
  addParties,
  addRecords,
  aRecord,
  daysAgo,
  instantOf,
  open,
  postgresOnly,
} from './support.ts';

describe.each(postgresOnly)('the record of a refusal, on $kind', ({ create }) => {
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

  test('whose answer was lost before its day was archived is not doubled by its repetition', async () => {
    const parties = await addParties(composition);
    const refusal = aRecord(parties, {
      occurredAt: instantOf(daysAgo(5)),
      grantId: null,
      outcome: 'access_required',
      count: 3,
    });
    await addRecords(composition, [refusal]);
    await composition.operatorUseCases.archiveAccessRecords({ before: instantOf(daysAgo(4)) });
    const refused = async () => {
      await composition.operatorUseCases.countAccessRecords();
      const { total } = await composition.companyUseCases.readAccessStatistics(parties.company);
      return total.refused;
    };
    expect(await refused()).toBe(3);

    const failed = Promise.withResolvers<unknown>();
    const dropped: number[] = [];
    const repeating = await openDatabase({
      databaseUrl: place.url,
      dataDir: '',
      role: 'service',
      limits: { statementMilliseconds: 300 },
      onError: failed.resolve,
      onRefusalsDropped: (count) => dropped.push(count),
    });
    await withClient(place.url ?? '', async (blocker) => {
      await blocker.query('begin');
      await blocker.query('lock table only access_record in exclusive mode');
      repeating.repositories.accessRecords.recordEventually(refusal);
      await failed.promise;
      await blocker.query('rollback');
    });
    await expect.poll(() => dropped).toEqual([3]);
    await repeating.close();

    expect(await refused()).toBe(3);
    const { companyId } = parties;
    const { accessRecords } = composition.database.repositories;
    expect(await accessRecords.listOfCompany({ companyId, limit: 10 })).toEqual([]);
    // One that was never tried before is no repetition, however late.
    await addRecords(composition, [{ ...refusal, id: `${refusal.id}_late`, count: 2 }]);
    expect(await refused()).toBe(5);
  });
});
