import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Composition } from '../../gateway/compose.ts';
import { createRoles, type Roles } from '../support/roles.ts';
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

describe.each(postgresOnly)(
  'a record that comes late for an archived day, on $kind',
  ({ create }) => {
    let place: ArchivingDatabase;
    let roles: Roles;
    let owner: Composition;
    let service: Composition;

    beforeAll(async () => {
      place = await create();
      roles = await createRoles(place.url ?? '');
      owner = await open(place.environment);
      service = await open({ ...place.environment, DATABASE_URL: roles.serviceUrl });
    });
    afterAll(async () => {
      await service?.database.close();
      await owner?.database.close();
      await roles?.drop();
      await place?.remove();
    });

    test('to a service that does not own the table, is archived the next time', async () => {
      const parties = await addParties(owner);
      const day = daysAgo(5);
      const [first, late] = [1, 2].map((second) =>
        aRecord(parties, { occurredAt: instantOf(day, second * 1000) }),
      );
      if (first === undefined || late === undefined) throw new Error('there are two');
      await addRecords(owner, [first]);
      const archive = () =>
        owner.operatorUseCases.archiveAccessRecords({ before: instantOf(daysAgo(4)) });
      expect(await archive()).toMatchObject([{ day, records: 1 }]);

      await service.database.repositories.accessRecords.record(late);
      // As every hour: that nobody has moved the record is no failure.
      await service.database.createPartitionsAhead(new Date());

      expect(await archive()).toMatchObject([{ day, records: 1 }]);
      const { items } = await service.companyUseCases.listReceivedRecords(parties.company);
      expect(items.map(({ id }) => id)).toEqual([late.id, first.id]);
      const left = await owner.database.repositories.accessRecords.listOfCompany({
        companyId: parties.companyId,
        limit: 10,
      });
      expect(left).toEqual([]);
    });
  },
);
