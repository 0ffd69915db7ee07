import type { Environment, MetricClaims } from '#core';
import { type Row, sql } from '../../connections/store.ts';
import { toDecimal } from '../rows.ts';

export interface ClaimsRow
  extends Pick<Row<'metric_series'>, 'companyId' | 'key'>,
    Pick<
      Row<'metric_point'>,
      | 'period'
      | 'rawValue'
      | 'currency'
      | 'asOf'
      | 'sourceSystem'
      | 'sourceMethod'
      | 'lastSynced'
      | 'revision'
    > {
  readonly environment: Environment;
}

/** Returns the columns of a ClaimsRow, except for environment and revision. */
export const claimsColumns = (series: string, point: string) =>
  sql.raw(`${series}.company_id as "companyId", ${series}.key, ${point}.period,
    ${point}.raw_value as "rawValue", ${point}.currency, ${point}.as_of as "asOf",
    ${point}.source_system as "sourceSystem", ${point}.source_method as "sourceMethod",
    ${point}.last_synced as "lastSynced"`);

export const toClaims = (row: ClaimsRow): MetricClaims => ({
  environment: row.environment,
  companyId: row.companyId,
  key: row.key,
  period: row.period,
  rawValue: row.rawValue === null ? null : toDecimal(row.rawValue),
  currency: row.currency,
  asOf: row.asOf,
  source: { system: row.sourceSystem, method: row.sourceMethod, lastSynced: row.lastSynced },
  revision: row.revision,
});
