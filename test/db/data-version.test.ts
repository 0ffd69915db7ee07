import { beforeAll, expect, test } from 'vitest';
import { describeOnPostgres, useDatabase, withClient } from '../support/databases.ts';

await describeOnPostgres('the version of a company’s data', (createDatabase) => {
  const database = useDatabase(createDatabase);

  const query = (text: string) => withClient(database.url, (client) => client.query(text));
  const versions = async () =>
    Object.fromEntries(
      (await query('select company_id, version from company_data_version')).rows.map((row) => [
        row.company_id,
        row.version,
      ]),
    );

  beforeAll(async () => {
    await query(`
      insert into company values ('co_a', 'A', 'live', now()), ('co_b', 'B', 'live', now());
      insert into metric_series (company_id, key, label, category)
        values ('co_a', 'cash', 'Cash', 'x'), ('co_b', 'cash', 'Cash', 'x');
      insert into metric_point select id, '2026-10-31', 'USD', 1, '$1', now(), 'high', 's', 'm', now(), true
        from metric_series;
      insert into source values ('co_a', 'p', 'n', 'connected', now());
      insert into account values ('co_a', 'acc_1', 'p', 'n', 'bank', 'USD', '$1', 1, null, now());
      insert into source values ('co_b', 'p', 'm', 'connected', now());
    `);
  });

  const seriesOf = (company: string) =>
    `(select id from metric_series where company_id = '${company}')`;

  /** What the rules of values forbid, somebody with the right to change the schema can do. */
  const unguarded = `
    alter table metric_point disable trigger metric_point_is_not_deleted,
      disable trigger metric_point_changes_by_revision;`;

  test.each([
    [['co_a'], `update source set status = 'error' where company_id = 'co_a'`],
    [['co_a'], `update metric_series set label = 'L' where company_id = 'co_a'`],
    [
      ['co_a'],
      `update metric_point set value = '$2', revision = 2 where series_id = ${seriesOf('co_a')}`,
    ],
    [['co_a', 'co_b'], `update metric_point set value = '$3', revision = revision + 1`],
    [['co_a', 'co_b'], `update source set company_id = 'co_b' where company_id = 'co_a'`],
    [['co_a', 'co_b'], `update account set company_id = 'co_b'`],
    [
      ['co_a', 'co_b'],
      `${unguarded} delete from metric_point where series_id = ${seriesOf('co_b')};
       update metric_point set series_id = ${seriesOf('co_b')}`,
    ],
    [['co_b'], `${unguarded} delete from metric_point`],
    [['co_b'], `set session_replication_role = replica; delete from account`],
    [['co_a', 'co_b'], `truncate source`],
    [[], `update company set name = 'C'`],
    [[], `delete from source`],
  ])('changes for %j by: %s', async (changed, statement) => {
    const before = await versions();
    await query(statement);
    const after = await versions();
    const differing = Object.keys(after).filter((company) => after[company] !== before[company]);
    expect(differing.toSorted()).toEqual(changed);
  });

  const change = () => query(`update metric_series set label = label || '.'`);
  const seen: string[] = [];
  const isNew = async () => {
    const { co_a: version } = await versions();
    expect(seen).not.toContain(version);
    seen.push(version);
  };

  test('never comes twice', async () => {
    for (let round = 0; round < 5; round += 1) {
      await change();
      await isNew();
    }
  });

  test('does not come again when the database is restored to an earlier state', async () => {
    const earlier = await versions();
    await change();
    await isNew();
    await query(
      `update company_data_version set version = ${earlier.co_a} where company_id = 'co_a'`,
    );
    await change();
    await isNew();
  });

  test('is the next one when the clock is behind', async () => {
    const ahead = 2n ** 60n;
    await query(`update company_data_version set version = ${ahead}`);
    await change();
    expect(await versions()).toEqual({ co_a: `${ahead + 1n}`, co_b: `${ahead + 1n}` });
  });
});
