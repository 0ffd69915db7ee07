import { afterAll, beforeAll, describe } from 'vitest';
import { type Database, openDatabase } from '#db';
import { describeRepositories } from '../../contracts/index.ts';
import { describeOnPostgres, withClient } from '../../support/databases.ts';
import { isFull } from '../../support/property-runs.ts';
import { createRoles, type Roles } from '../../support/roles.ts';

/** Other tests connect as a superuser, whom row-level security does not bind. */
describe.skipIf(!isFull)('where everything is tried', async () => {
  await describeOnPostgres('as an owner who is no superuser', (createDatabase) => {
    let roles: Roles;
    let database: Database;

    beforeAll(async () => {
      const { url } = await createDatabase();
      roles = await createRoles(url);
      await withClient(url, (client) =>
        client.query(`
          do $$ declare name regclass; begin
            for name in select oid from pg_class
              where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')
            loop
              execute format('alter table %s owner to ${roles.names.operator}', name);
            end loop;
          end $$;
          grant create on schema public to ${roles.names.operator}`),
      );
      database = await openDatabase({
        databaseUrl: roles.operatorUrl,
        dataDir: '',
        role: 'command',
      });
    });
    afterAll(async () => {
      await database?.close();
      await roles?.drop();
    });

    describeRepositories(async () => ({ ...database, close: async () => undefined }));
  });
});
