import { createHash, randomUUID } from 'node:crypto';
import { defineEntity, MikroORM, p } from '@mikro-orm/postgresql';
import { fastify } from 'fastify';
import { given } from './given.ts';
import { budgetHeaders, spend } from './limiter.ts';
import { statusOf } from './sql.ts';

/**
 * A service as it is written by the book: entities, a fork of the entity manager for each request, one look-up for each
 * step, and the answer made from what was found. The look-ups themselves are the best ones: each is one step into an
 * index, and the latest points of all series come at once.
 */
const ApiKey = defineEntity({
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
const PortfolioMembership = defineEntity({
  name: 'PortfolioMembership',
  properties: { investorId: p.text().primary(), companyId: p.text().primary() },
});
const AccessRequest = defineEntity({
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
const MetricSeries = defineEntity({
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
};
const MetricPoint = defineEntity({
  name: 'MetricPoint',
  properties: { seriesId: p.bigint('string').primary(), period: p.date().primary(), ...point },
});
const LatestPoint = defineEntity({
  name: 'LatestPoint',
  expression: `select series.id as series_id, point.period, point.currency, point.raw_value, point.value,
      point.as_of, point.confidence, point.source_system, point.source_method, point.last_synced,
      point.verified
    from metric_series as series cross join lateral (
      select * from metric_point where series_id = series.id order by period desc limit 1
    ) as point`,
  properties: { seriesId: p.bigint('string'), period: p.date(), ...point },
});
const AccessRecord = defineEntity({
  name: 'AccessRecord',
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

const orm = await MikroORM.init({
  clientUrl: given.databaseUrl,
  entities: [
    ApiKey,
    PortfolioMembership,
    AccessRequest,
    MetricSeries,
    MetricPoint,
    LatestPoint,
    AccessRecord,
  ],
  pool: { max: 10 },
});

class Refusal extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

const app = fastify({ genReqId: () => `req_${randomUUID()}` });

app.setErrorHandler((error, request, reply) => {
  const code = error instanceof Refusal ? error.code : 'internal_error';
  reply.code(statusOf[code] ?? 500).header('svc-request-id', request.id);
  return { error: { code, request_id: request.id } };
});

async function admit(em: typeof orm.em, authorization = '') {
  const digest = createHash('sha256')
    .update(authorization.replace(/^Bearer /, ''))
    .digest();
  const key = await em.findOne(ApiKey, { digest });
  const now = new Date();
  if (key === null || key.revokedAt || (key.expiresAt && key.expiresAt <= now)) {
    throw new Refusal('invalid_api_key');
  }
  const budget = await spend(key.id);
  const limit = key.rateLimit ?? 600;
  if (budget.spent > limit) throw new Refusal('rate_limit_exceeded');
  return { key, headers: budgetHeaders(limit, budget) };
}

type Admitted = Awaited<ReturnType<typeof admit>>['key'];

async function requireGrant(em: typeof orm.em, key: Admitted, companyId: string) {
  if (!key.scopes.includes('metrics:read')) throw new Refusal('insufficient_scope');
  const { investorId } = key;
  const membership = await em.findOne(PortfolioMembership, { investorId, companyId });
  if (membership === null) throw new Refusal('company_not_found');
  const newest = await em.findOne(
    AccessRequest,
    { investorId, companyId },
    { orderBy: { createdAt: 'desc', id: 'desc' } },
  );
  if (newest?.status === 'revoked') throw new Refusal('access_revoked');
  if (newest === null || newest.deadlineAt <= new Date()) throw new Refusal('access_required');
  if (newest.status === 'pending') throw new Refusal('access_pending');
  if (newest.status !== 'approved' || !newest.approvedScopes.includes('metrics:read')) {
    throw new Refusal('access_required');
  }
  return newest;
}

type Read = Readonly<Record<'requestId' | 'companyId' | 'resource' | 'grantId', string>>;

async function record(em: typeof orm.em, key: Admitted, read: Read, metricKey: string | null) {
  em.create(AccessRecord, {
    ...read,
    id: `rec_${randomUUID()}`,
    occurredAt: new Date(),
    protocol: 'rest',
    keyId: key.id,
    investorId: key.investorId,
    scope: 'metrics:read',
    metricKey,
    outcome: 'allowed',
  });
  await em.flush();
}

interface Series {
  readonly companyId: string;
  readonly key: string;
  readonly label: string;
  readonly category: string;
}

interface Point {
  readonly period: string;
  readonly currency?: string | null | undefined;
  readonly rawValue: number;
  readonly value: string;
  readonly asOf: Date;
  readonly confidence: string;
  readonly sourceSystem: string;
  readonly sourceMethod: string;
  readonly lastSynced: Date;
  readonly verified: boolean;
}

const present = (series: Series, latest: Point) => ({
  company_id: series.companyId,
  key: series.key,
  label: series.label,
  currency: latest.currency ?? null,
  period: latest.period,
  source: {
    system: latest.sourceSystem,
    method: latest.sourceMethod,
    last_synced: latest.lastSynced.toISOString(),
  },
  verification: { verified: latest.verified, signed: false },
  confidence: latest.confidence,
  value: latest.value,
  raw_value: latest.rawValue,
  category: series.category,
  as_of: latest.asOf.toISOString(),
});

const list = (data: unknown[], url: string) => ({
  object: 'list',
  data,
  has_more: false,
  url,
  next_cursor: null,
});

app.get<{ Params: { id: string } }>('/v1/companies/:id/metrics', async (request, reply) => {
  const em = orm.em.fork();
  const { id } = request.params;
  const { key, headers } = await admit(em, request.headers.authorization);
  const grant = await requireGrant(em, key, id);
  const series = await em.find(MetricSeries, { companyId: id }, { orderBy: { key: 'asc' } });
  const points = await em.find(LatestPoint, { seriesId: { $in: series.map((one) => one.id) } });
  if (given.records) {
    const read = { requestId: request.id, companyId: id, resource: 'metrics', grantId: grant.id };
    await record(em, key, read, null);
  }
  const latest = new Map(points.map((one) => [one.seriesId, one]));
  reply.headers({ ...headers, 'svc-request-id': request.id });
  const data = series.flatMap((one) => {
    const found = latest.get(one.id);
    return found === undefined ? [] : [present(one, found)];
  });
  return list(data, `/v1/companies/${id}/metrics`);
});

app.get<{ Params: { id: string; key: string } }>(
  '/v1/companies/:id/metrics/:key/history',
  async (request, reply) => {
    const em = orm.em.fork();
    const { id, key: metricKey } = request.params;
    const { key, headers } = await admit(em, request.headers.authorization);
    const grant = await requireGrant(em, key, id);
    const series = await em.findOne(MetricSeries, { companyId: id, key: metricKey });
    const points =
      series === null
        ? []
        : await em.find(MetricPoint, { seriesId: series.id }, { orderBy: { period: 'asc' } });
    if (given.records) {
      const resource = 'metric_history';
      await record(
        em,
        key,
        { requestId: request.id, companyId: id, resource, grantId: grant.id },
        metricKey,
      );
    }
    reply.headers({ ...headers, 'svc-request-id': request.id });
    return list(
      points.map((one) => present(series as Series, one)),
      `/v1/companies/${id}/metrics/${metricKey}/history`,
    );
  },
);

await app.listen({ port: given.port, host: '127.0.0.1' });
