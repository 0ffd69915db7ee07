import { compactJws, publicKeyUrl } from '../data/jws.ts';
import { withClient } from '../servers.ts';

/** A metric value from the tables. All numbers except the revision are texts. */
export interface ExpectedMetric {
  readonly companyId: string;
  readonly key: string;
  readonly label: string;
  readonly category: string;
  readonly currency: string | null;
  readonly period: string;
  readonly value: string;
  readonly rawValue: string;
  readonly system: string;
  readonly method: string;
  readonly lastSynced: string;
  readonly verified: boolean;
  readonly confidence: string;
  readonly asOf: string;
  readonly revision: number;
  readonly signedAt: string;
  readonly signature: Buffer;
}

const columns = `series.company_id as "companyId", series.key, series.label, series.category,
  point.currency, point.period::text, point.value, trim_scale(point.raw_value)::text as "rawValue",
  point.source_system as system, point.source_method as method, point.last_synced as "lastSynced",
  point.verified, point.confidence, point.as_of as "asOf", point.revision,
  point.signed_at as "signedAt", point.signature`;

/** Reads the expected metrics from the tables, with SQL statements that none of the measured programs uses. */
export async function expectLatest(
  databaseUrl: string,
  companyIds: readonly string[],
): Promise<ReadonlyMap<string, ExpectedMetric[]>> {
  const metrics = await query(
    databaseUrl,
    `select distinct on (series.company_id, series.key collate "C") ${columns}
      from metric_series as series join metric_point as point on point.series_id = series.id
      where series.company_id = any($1)
      order by series.company_id, series.key collate "C", point.period desc`,
    [companyIds],
  );
  return Map.groupBy(metrics, ({ companyId }) => companyId);
}

export function expectHistory(
  databaseUrl: string,
  companyId: string,
  key: string,
): Promise<ExpectedMetric[]> {
  return query(
    databaseUrl,
    `select ${columns}
      from metric_series as series join metric_point as point on point.series_id = series.id
      where series.company_id = $1 and series.key = $2 order by point.period`,
    [companyId, key],
  );
}

async function query(databaseUrl: string, text: string, values: unknown[]) {
  const { rows } = await withClient(databaseUrl, (client) => client.query(text, values));
  return rows.map(
    (row): ExpectedMetric => ({
      ...row,
      lastSynced: row.lastSynced.toISOString(),
      asOf: row.asOf.toISOString(),
      signedAt: row.signedAt.toISOString(),
    }),
  );
}

const jwsOf = ({ system, method, lastSynced, ...metric }: ExpectedMetric) =>
  compactJws({ ...metric, source: { system, method, lastSynced } });

const inRest = (metric: ExpectedMetric) => ({
  company_id: metric.companyId,
  key: metric.key,
  label: metric.label,
  ...(metric.currency !== null && { currency: metric.currency }),
  period: metric.period,
  source: { system: metric.system, method: metric.method, last_synced: metric.lastSynced },
  verification: {
    verified: metric.verified,
    signed: true,
    signature: jwsOf(metric),
    public_key_url: publicKeyUrl,
  },
  confidence: metric.confidence,
  value: metric.value,
  raw_value: Number(metric.rawValue),
  raw_value_text: metric.rawValue,
  category: metric.category,
  as_of: metric.asOf,
});

export const inList = (metrics: readonly ExpectedMetric[], url: string) => ({
  object: 'list',
  data: metrics.map(inRest),
  has_more: false,
  url,
  next_cursor: null,
});

export const inGraphql = (metric: ExpectedMetric) => ({
  key: metric.key,
  label: metric.label,
  category: metric.category,
  currency: metric.currency,
  period: metric.period,
  value: metric.value,
  rawValue: metric.rawValue,
  source: { system: metric.system, method: metric.method, lastSynced: metric.lastSynced },
  verification: { verified: metric.verified, signed: true },
  confidence: metric.confidence,
  asOf: metric.asOf,
});

export const inTrpc = (metric: ExpectedMetric) => ({
  companyId: metric.companyId,
  ...inGraphql(metric),
  revision: metric.revision,
  verification: {
    verified: metric.verified,
    signed: true,
    signature: jwsOf(metric),
    publicKeyUrl,
    revision: metric.revision,
    signedAt: metric.signedAt,
  },
});
