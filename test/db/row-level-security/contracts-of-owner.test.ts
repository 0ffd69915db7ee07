import { afterAll, beforeAll, describe } from 'vitest';
import { type Database, openDatabase } from '#db';
import { describeRepositories } from '../../contracts/index.ts';
import { whyNoPostgres } from '../../support/databases.ts';
import { createOwnedDatabase, type OwnedDatabase } from '../../support/owned-database.ts';
import { isFull } from '../../support/property-runs.ts';

const isUnreachable = (await whyNoPostgres()) !== null;

/** The owner of the tables isn't a superuser here, so row-level security applies, unlike in most other tests. */
describe.skipIf(!isFull || isUnreachable)(
  'repositories with the role of an owner who isn’t a superuser',
  () => {
    let owned: OwnedDatabase;
    let database: Database;

    beforeAll(async () => {
      owned = await createOwnedDatabase();
      database = await openDatabase({ databaseUrl: owned.url, dataDir: '', role: 'command' });
    });
    afterAll(async () => {
      await database?.close();
      await owned?.drop();
    });

    describeRepositories(async () => ({ ...database, close: async () => undefined }));
  },
);
