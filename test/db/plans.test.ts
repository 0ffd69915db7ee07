import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connections, openConnections } from '../../db/connections.ts';
import { runMigrations } from '../../db/migrator.ts';
import { planOnce } from '../../db/planned.ts';
import { statements } from '../../db/repositories/company-data.ts';
import { describeOnPostgres } from '../support/databases.ts';

const metrics = 100;
const days = 3650;
const metric = { companyId: 'co_1', key: 'metric_5' };
const periods = { from: null, to: null };

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

await describeOnPostgres('years of daily values', (createDatabase) => {
  let connections: Connections;

  beforeAll(async () => {
    const { url } = await createDatabase();
    connections = openConnections(
      { url },
      {
        connections: 2,
        acquireMilliseconds: 5000,
        statementMilliseconds: null,
        server: planOnce,
        onError() {},
      },
    );
    await runMigrations(connections.orm, 'up', false);
    const kysely = connections.orm.em.getKysely();
    await sql`insert into company values ('co_1', 'Harbor', 'live', now())`.execute(kysely);
    await sql`
      insert into metric_series (company_id, key, label, category)
      select 'co_1', 'metric_' || number, 'Metric', 'other'
      from generate_series(1, ${metrics}::int) as number`.execute(kysely);
    await sql`
      insert into metric_point
      select id, date '2017-01-01' + day, 'USD', 1250000.5, '$1,250,000.50', now(), 'high',
        'mercury', 'api', now(), true
      from metric_series, generate_series(0, ${days - 1}::int) as day`.execute(kysely);
  });
  afterAll(() => connections.close());

  async function explain(statement: RawBuilder<unknown>): Promise<readonly PlanNode[]> {
    const { rows } = await sql<{ 'QUERY PLAN': readonly [{ Plan: PlanNode }] }>`
      explain (analyze, format json) ${statement}`.execute(connections.orm.em.getKysely());
    const root = rows[0]?.['QUERY PLAN'][0].Plan;
    const flatten = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flatten)];
    return root === undefined ? [] : flatten(root);
  }

  /** How many rows of metric_point were touched; fails when all of them were. */
  async function pointsRead(statement: RawBuilder<unknown>): Promise<number> {
    const scans = (await explain(statement)).filter(
      (node) => node['Relation Name'] === 'metric_point',
    );
    expect(scans.length).toBeGreaterThan(0);
    for (const scan of scans) expect(scan['Node Type']).not.toMatch(/Seq Scan/);
    return scans.reduce((sum, scan) => sum + scan['Actual Rows'] * scan['Actual Loops'], 0);
  }

  // A table that has just been filled is one of which the planner knows nothing yet.
  test.each(['before', 'after'])(
    'are read through the index %s they were analyzed',
    async (when) => {
      if (when === 'after') await sql`analyze`.execute(connections.orm.em.getKysely());
      expect(await pointsRead(statements.latestMetrics(['co_1']))).toBe(metrics);
      expect(await pointsRead(statements.metricHistory([{ ...metric, periods }]))).toBe(days);
      const month = { from: '2020-03-01', to: '2020-03-31' };
      expect(await pointsRead(statements.metricHistory([{ ...metric, periods: month }]))).toBe(31);
    },
  );
});
