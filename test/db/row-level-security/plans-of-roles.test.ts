import { beforeAll, expect, test } from 'vitest';
import type { Connections } from '../../../db/connections/pool.ts';
import { confirmation } from '../../../db/connections/primary.ts';
import { type Statement, sql } from '../../../db/connections/store.ts';
import { statements as events } from '../../../db/statements/access-events.ts';
import { statements as consent } from '../../../db/statements/access-facts-reader.ts';
import { statements as records } from '../../../db/statements/access-records/lists.ts';
import { statements as sessions } from '../../../db/statements/desk-sessions.ts';
import { describeOnPostgres } from '../../support/databases.ts';
import { useWorld } from './world.ts';

const now = new Date();
const statements: Readonly<Record<string, Statement<unknown>>> = {
  confirmation,
  keys: consent.keys([{ digest: 'ab', companyId: null, now }]),
  'keys and decisions': consent.keysAndAccessFacts([{ digest: 'ab', companyId: 'co_1', now }]),
  decisions: consent.accessFacts([{ keyId: 'key_1', companyId: 'co_1' }]),
  sessions: sessions.authenticate(['ab']),
  'the feed': events.feed({ reader: null, after: '5', since: null, limit: 100 }),
  'records of an investor': records.ofInvestor({
    investorId: 'inv_1',
    scopes: ['metrics:read'],
    companyId: undefined,
    since: undefined,
    limit: 100,
    before: null,
  }),
  'a new record': sql`insert into access_record (id, occurred_at, request_id, protocol, key_id,
    investor_id, scope, resource, outcome, count) values ('a', now(), '', '', '', '', '', '', '', 1)`,
};

await describeOnPostgres('the background role', (createDatabase) => {
  const { world, open } = useWorld(createDatabase);
  let explainAs: Record<'superuser' | 'background', Connections>;

  beforeAll(() => {
    const { url, roles } = world();
    explainAs = { superuser: open(url, true), background: open(roles.backgroundUrl, true) };
  });

  test.each(Object.entries(statements))(
    'gets the same query plan as without row-level security: %s',
    async (_name, statement) => {
      const plan = async (as: keyof typeof explainAs) => {
        const { pool, orm } = explainAs[as];
        const { sql: text, parameters } = statement.compile(orm.em.getKysely());
        const { rows } = await pool.query({
          text: `explain (costs off, verbose) ${text}`,
          values: [...parameters],
        });
        return rows;
      };
      const found = await plan('background');
      expect(found).toEqual(await plan('superuser'));
      expect(found.length).toBeGreaterThan(0);
    },
  );
});
