import { beforeAll, describe, expect, test } from 'vitest';
import type { RowScope } from '../../../db/connections/row-scope.ts';
import { describeOnPostgres } from '../../support/databases.ts';
import { type Runner, useWorld } from './world.ts';

await describeOnPostgres('row-level security', (createDatabase) => {
  const { world, ways, asOwner, run: runIn } = useWorld(createDatabase);

  describe.each(ways)('in the row scope that %s opens', (_way, begin) => {
    let runner: Runner;
    beforeAll(() => {
      runner = begin(world().roles.serviceUrl);
    });
    const run = (scope: RowScope | null, text: string) => runIn(runner, scope, text);
    test('the row scope ends with its transaction, even after an error', async () => {
      const scope = { companies: [world().neighbours.companies[0]] };
      const count = 'select count(*)::int as count from account';
      const none = await run(null, count);
      const ofOne = await run(scope, count);
      expect(none).toEqual([{ count: 0 }]);
      expect(ofOne).not.toEqual(none);
      expect(await run(null, count)).toEqual(none);
      await expect(run(scope, 'select 1 / 0 from account')).rejects.toMatchObject({
        code: '22012',
      });
      expect(await run(null, count)).toEqual(none);
      expect(await run(scope, count)).toEqual(ofOne);
    });

    describe('an id in a row scope', () => {
      const ids = [
        'co_a',
        'co_b',
        'co_a,co_b',
        'co_a","co_b',
        '{co_a,co_b}',
        '}, {co_a',
        `co_a'), ('co_b`,
        'co_a\\',
        '\\"co_a',
        ' co_a ',
        'NULL',
        '*',
        '',
      ];
      const series = `select company_id as id from metric_series where key = 'named'`;
      beforeAll(async () => {
        await asOwner(
          `insert into company select id, 'Company', 'live', now() from unnest($1::text[]) as id
            on conflict do nothing`,
          [ids],
        );
        await asOwner(
          `insert into metric_series (company_id, key, label, category)
            select id, 'named', '', '' from unnest($1::text[]) as id on conflict do nothing`,
          [ids],
        );
      });
      test.each(ids)('is never read as several ids: %j', async (id) => {
        expect(await run({ companies: [id] }, series)).toEqual([{ id }]);
        expect(await run({ companies: [id, 'co_b'] }, series)).toHaveLength(id === 'co_b' ? 1 : 2);
      });
    });
  });
});
