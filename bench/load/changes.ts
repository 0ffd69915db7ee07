import pg from 'pg';
import { signatureOf } from '../data/tables.ts';

/**
 * Changes data like an import: gives the newest value of one metric another amount, with a revision and a signature,
 * and raises the version of the company's data.
 */
const statement = `
  with changed as (
  update metric_point as point set raw_value = raw_value + 1, value = to_char(raw_value + 1, 'FM$999,999,999,990.00'),
    as_of = now(),
    revision = revision + 1, signed_at = now(),
    signature = ${signatureOf('(raw_value + 1)', '(revision + 1)')}
  from (
    select series_id, max(period) as period from metric_point
    where series_id = (select id from metric_series where company_id = $1 and key = 'arr')
    group by series_id
  ) as newest
  where (point.series_id, point.period) = (newest.series_id, newest.period)
  returning 1)
  update company_data_version
  set version = greatest(version + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)
  where company_id = $1 and exists (select from changed)`;

/** Changes the data of companies, over separate connections. */
export class DataChanges {
  readonly #pool: pg.Pool;
  count = 0;

  constructor(databaseUrl: string) {
    // Changes are visible at once, without waiting for the disk.
    const options = '-c synchronous_commit=off';
    this.#pool = new pg.Pool({ connectionString: databaseUrl, max: 4, options });
  }

  async change(companyId: string): Promise<void> {
    const { rowCount } = await this.#pool.query(statement, [companyId]);
    if (rowCount !== 1) throw new Error(`${companyId} has no data to change`);
    this.count += 1;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
