import { createHash, randomUUID } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';
import { fastify } from 'fastify';
import { compactJws, publicKeyUrl } from '../data/jws.ts';
import { given } from './given.ts';
import { budgetHeaders, spend } from './limiter.ts';
import { statusOf } from './sql.ts';
import {
  AccessRecord,
  AccessRequest,
  ApiKey,
  LatestPoint,
  MetricPoint,
  MetricSeries,
  PortfolioMembership,
} from './textbook-entities.ts';

/**
 * A service as it is written by the book: entities, a fork of the entity manager for each request, one look-up for each
 * step, and the answer made from what was found. The look-ups themselves are the best ones: each is one step into an
 * index, and the latest points of all series come at once.
 */
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
  readonly revision: number;
  readonly signedAt: Date;
  readonly signature: Uint8Array;
}

const signatureOf = (series: Series, latest: Point) =>
  compactJws({
    companyId: series.companyId,
    key: series.key,
    period: latest.period,
    rawValue: String(latest.rawValue),
    currency: latest.currency ?? null,
    asOf: latest.asOf.toISOString(),
    source: {
      system: latest.sourceSystem,
      method: latest.sourceMethod,
      lastSynced: latest.lastSynced.toISOString(),
    },
    revision: latest.revision,
    signedAt: latest.signedAt.toISOString(),
    signature: latest.signature,
  });

const present = (series: Series, latest: Point) => ({
  company_id: series.companyId,
  key: series.key,
  label: series.label,
  ...(latest.currency && { currency: latest.currency }),
  period: latest.period,
  source: {
    system: latest.sourceSystem,
    method: latest.sourceMethod,
    last_synced: latest.lastSynced.toISOString(),
  },
  verification: {
    verified: latest.verified,
    signed: true,
    signature: signatureOf(series, latest),
    public_key_url: publicKeyUrl,
  },
  confidence: latest.confidence,
  value: latest.value,
  raw_value: latest.rawValue,
  raw_value_text: String(latest.rawValue),
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
