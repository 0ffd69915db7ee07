import { defineEntity, p } from '@mikro-orm/postgresql';

export const ApiKey = defineEntity({
  name: 'ApiKey',
  properties: {
    id: p.text().primary(),
    investorId: p.text(),
    digest: p.blob(),
    scopes: p.array().columnType('text[]'),
    rateLimit: p.integer().nullable(),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
  },
});
export const PortfolioMembership = defineEntity({
  name: 'PortfolioMembership',
  properties: { investorId: p.text().primary(), companyId: p.text().primary() },
});
export const AccessRequest = defineEntity({
  name: 'AccessRequest',
  properties: {
    id: p.text().primary(),
    investorId: p.text(),
    companyId: p.text(),
    approvedScopes: p.array().columnType('text[]'),
    status: p.text(),
    createdAt: p.datetime(),
    deadlineAt: p.datetime(),
  },
});
export const MetricSeries = defineEntity({
  name: 'MetricSeries',
  properties: {
    id: p.bigint('string').primary(),
    companyId: p.text(),
    key: p.text(),
    label: p.text(),
    category: p.text(),
  },
});
const point = {
  currency: p.text().nullable(),
  rawValue: p.decimal('number'),
  value: p.text(),
  asOf: p.datetime(),
  confidence: p.text(),
  sourceSystem: p.text(),
  sourceMethod: p.text(),
  lastSynced: p.datetime(),
  verified: p.boolean(),
  revision: p.integer(),
  signedAt: p.datetime(),
  signature: p.blob(),
};
export const MetricPoint = defineEntity({
  name: 'MetricPoint',
  properties: { seriesId: p.bigint('string').primary(), period: p.date().primary(), ...point },
});
export const LatestPoint = defineEntity({
  name: 'LatestPoint',
  expression: `select series.id as series_id, point.period, point.currency, point.raw_value, point.value,
      point.as_of, point.confidence, point.source_system, point.source_method, point.last_synced,
      point.verified, point.revision, point.signed_at, point.signature
    from metric_series as series cross join lateral (
      select * from metric_point where series_id = series.id order by period desc limit 1
    ) as point`,
  properties: { seriesId: p.bigint('string'), period: p.date(), ...point },
});
export const AccessRecord = defineEntity({
  name: 'AccessRecord',
  tableName: 'plain_access_record',
  properties: {
    id: p.text().primary(),
    occurredAt: p.datetime(),
    requestId: p.text(),
    protocol: p.text(),
    keyId: p.text(),
    investorId: p.text(),
    companyId: p.text(),
    scope: p.text(),
    resource: p.text(),
    metricKey: p.text().nullable(),
    grantId: p.text(),
    outcome: p.text(),
  },
});
