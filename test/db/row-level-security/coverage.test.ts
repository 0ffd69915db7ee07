import { expect, test } from 'vitest';
import { describeOnPostgres, withClient } from '../../support/databases.ts';
import { createRoles } from '../../support/roles.ts';

/** The reasons why these tables need no policy. A new table must have a policy, or a reason here. */
const open: Readonly<Record<string, string>> = {
  access_day: 'which days are counted, and how many records of all companies they have',
  access_event_feed: 'the one number of the last event',
  access_record: 'requests have no right to it, and its lists need what the planner knows of it',
  event_consumer: 'how far each consumer has read the feed',
  mikro_orm_migrations: 'names of migrations',
  signing_key: 'public keys, which every caller may read',
};

await describeOnPostgres('row-level security', (createDatabase) => {
  test('protects every table, except the tables that are listed with a reason', async () => {
    const { rows, isForEverybody } = await look(await createDatabase());
    const unprotected = rows.filter(({ isProtected }) => !isProtected).map(({ name }) => name);
    expect(unprotected).toEqual(Object.keys(open).toSorted());
    for (const { name, policies, isProtected, isOfService } of rows) {
      if (!isProtected) {
        expect(isOfService, name).toBe(name === 'signing_key');
        continue;
      }
      // Policies apply to our roles, so policies of other roles stay unchanged.
      expect(policies, name).toContain('of_background');
      expect(policies.includes('of_scope'), name).toBe(policies.includes('of_everyone'));
      expect(isOfService && !policies.includes('of_scope'), name).toBe(false);
    }
    expect(isForEverybody).toBe(false);
  });
});

interface Table {
  readonly name: string;
  readonly isProtected: boolean;
  readonly policies: readonly string[];
  readonly isOfService: boolean;
}

async function look({ url }: { url: string }) {
  const roles = await createRoles(url);
  try {
    return await withClient(url, async (client) => {
      const { rows } = await client.query(`
        select relname as name, relrowsecurity as "isProtected",
          array(select polname::text from pg_policy where polrelid = pg_class.oid) as policies,
          has_any_column_privilege('${roles.names.service}', oid, 'select') as "isOfService"
        from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
          and not relispartition order by relname collate "C"`);
      const found = await client.query(
        `select exists (select from pg_policy where polroles @> '{0}') as "isForEverybody"`,
      );
      return { rows: rows as unknown as Table[], isForEverybody: found.rows[0]?.isForEverybody };
    });
  } finally {
    await roles.drop();
  }
}
