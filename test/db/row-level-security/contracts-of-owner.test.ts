import { afterAll, beforeAll, describe } from 'vitest';
import { type Database, openDatabase } from '#db';
import { describeRepositories } from '../../contracts/index.ts';
import { whyNoPostgres } from '../../support/databases.ts';
import { createOwnedDatabase, type OwnedDatabase } from '../../support/owned-database.ts';
import { isFull } from '../../support/property-runs.ts';

const isUnreachable = (await whyNoPostgres()) !== null;

/** Unlike in most other tests, the tables' owner isn't a superuser, so row-level security applies. */
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
