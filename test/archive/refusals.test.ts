import { describe, expect, test } from 'vitest';
import { openDatabase } from '#db';
import { withClient } from '../support/databases.ts';
import { addRecords, aRecord, daysAgo, instantOf, postgresOnly, useArchive } from './support.ts';

describe.each(postgresOnly)('the record of a refusal, on $kind', ({ create }) => {
  const one = useArchive(create);

  test('whose answer was lost before its day was archived is not doubled by its repetition', async () => {
    const refusal = aRecord(one.parties, {
      occurredAt: instantOf(daysAgo(5)),
      grantId: null,
      outcome: 'access_required',
      count: 3,
    });
    await addRecords(one.composition, [refusal]);
    await one.archive(daysAgo(4));
    const refused = async () => {
      await one.composition.serviceUseCases.countAccessRecords();
      const { total } = await one.composition.companyUseCases.readAccessStatistics(
        one.parties.company,
      );
      return total.refused;
    };
    expect(await refused()).toBe(3);

    const failed = Promise.withResolvers<unknown>();
    const dropped: number[] = [];
    const repeating = await openDatabase({
      databaseUrl: one.place.url,
      dataDir: '',
      role: 'service',
      limits: { statementMilliseconds: 300 },
      onError: failed.resolve,
      onRefusalsDropped: (count) => dropped.push(count),
    });
    await withClient(one.place.url ?? '', async (blocker) => {
      await blocker.query('begin');
      await blocker.query('lock table only access_record in exclusive mode');
      repeating.repositories.accessRecords.recordEventually(refusal);
      await failed.promise;
      await blocker.query('rollback');
    });
    await expect.poll(() => dropped).toEqual([3]);
    await repeating.close();

    expect(await refused()).toBe(3);
    const { companyId } = one.parties;
    const { accessRecords } = one.composition.database.repositories;
    expect(await accessRecords.listOfCompany({ companyId, limit: 10 })).toEqual([]);
    // One that was never tried before is no repetition, however late.
    await addRecords(one.composition, [{ ...refusal, id: `${refusal.id}_late`, count: 2 }]);
    expect(await refused()).toBe(5);
  });
});
