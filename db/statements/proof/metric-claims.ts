import type { Environment, MetricClaims, MetricSignature } from '#core';
import { type Row, sql } from '../../connections/store.ts';
import { toArray, toDecimal } from '../rows.ts';

/** A value with all signed fields. */
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

/** The columns of a ClaimsRow from the tables of the metric and its value, without environment and revision. */
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

export function toBase64Array(signatures: readonly Pick<MetricSignature, 'signature'>[]): unknown {
  return toArray(signatures.map(({ signature }) => signature.toBase64()));
}
