import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { openDatabase } from '#db';
import { createPostgresDatabase, withClient } from './databases.ts';

export interface OwnedDatabase {
  /** The URL for the owner of the database. */
  readonly url: string;
  readonly superuserUrl: string;
  drop(): Promise<void>;
}

/** The owner isn't a superuser, as for a service without separate roles. */
export async function createOwnedDatabase(): Promise<OwnedDatabase> {
  const fresh = await createPostgresDatabase();
  const role = `${inject('databasePrefix')}${randomBytes(6).toString('hex')}_owner`;
  const url = new URL(fresh.url);
  const password = decodeURIComponent(url.password).replaceAll("'", "''");
  await withClient(fresh.url, async (client) => {
    await client.query(`create role ${role} login ${password && `password '${password}'`}`);
    await client.query(`alter database ${url.pathname.slice(1)} owner to ${role}`);
    await client.query(`alter schema public owner to ${role}`);
  });
  url.username = role;
  const database = await openDatabase({ databaseUrl: url.href, dataDir: '', role: 'command' });
  await database.migrate();
  await database.close();
  return {
    url: url.href,
    superuserUrl: fresh.url,
    async drop() {
      await fresh.drop();
      const server = new URL(fresh.url);
      server.pathname = '/postgres';
      await withClient(server.href, (client) => client.query(`drop role ${role}`));
    },
  };
}
