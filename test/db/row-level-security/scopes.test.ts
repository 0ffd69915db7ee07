import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../../db/scope.ts';
import { type ScopedRunner, sql } from '../../../db/store.ts';
import { describeOnPostgres } from '../../support/databases.ts';
import { postgresPrograms } from '../../support/own-postgres.ts';
import { useStage } from './stage.ts';

await describeOnPostgres('row-level security', (createDatabase) => {
  const { stage, open, ways, asOwner, run: runIn } = useStage(createDatabase);

  describe.each(ways)('in the scope of %s', (_way, begin) => {
    let runner: ScopedRunner;
    beforeAll(() => {
      runner = begin(stage().roles.operatorUrl);
    });
    const run = (scope: Scope | null, text: string) => runIn(runner, scope, text);
    test('the scope ends with its transaction, also after an error', async () => {
      const scope = { companies: [stage().neighbours.companies[0]] };
      const count = 'select count(*)::int as count from account';
      const all = await run(null, count);
      const ofOne = await run(scope, count);
      expect(ofOne).not.toEqual(all);
      expect(await run(null, count)).toEqual(all);
      await expect(run(scope, 'select 1 / 0 from account')).rejects.toMatchObject({
        code: '22012',
      });
      expect(await run(null, count)).toEqual(all);
      expect(await run(scope, count)).toEqual(ofOne);
    });

    describe('an id stays one id', () => {
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
      test.each(ids)('%j', async (id) => {
        expect(await run({ companies: [id] }, series)).toEqual([{ id }]);
        expect(await run({ companies: [id, 'co_b'] }, series)).toHaveLength(id === 'co_b' ? 1 : 2);
      });
    });
  });

  test('a scope is opened with its transaction, never within one', async () => {
    const { store } = open(stage().roles.serviceUrl);
    await expect(
      store.transact(async (inside) => inside.scoped({ companies: ['co_1'] })),
    ).rejects.toThrow('a scope is opened with its transaction');
  });

  test('binds the owner of a table, but no superuser', async () => {
    await asOwner(`alter table account owner to ${stage().roles.names.operator}`);
    const companies = (as: string) =>
      open(as)
        .store.scoped({ companies: [stage().neighbours.companies[0]] })
        .run(sql<{ id: string }>`select distinct company_id as id from account`);
    expect(await companies(stage().roles.operatorUrl)).toEqual([
      { id: stage().neighbours.companies[0] },
    ]);
    expect((await companies(stage().url)).length).toBeGreaterThan(1);
  });

  test.skipIf(postgresPrograms === null)(
    'lets such an owner dump all rows, when asked to by name',
    async () => {
      await asOwner(`alter table source owner to ${stage().roles.names.operator}`);
      const dump = (...options: string[]) =>
        promisify(execFile)(join(postgresPrograms ?? '', 'pg_dump'), [
          '--data-only',
          '--inserts',
          '--table=source',
          ...options,
          stage().roles.operatorUrl,
        ]);
      await expect(dump()).rejects.toThrow('row-level security');
      const { stdout } = await dump('--enable-row-security');
      const [all] = await asOwner('select count(*)::int as count from source');
      expect(stdout.match(/^INSERT/gm)).toHaveLength(Number(all?.count));
    },
  );
});
