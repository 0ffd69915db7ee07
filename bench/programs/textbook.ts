import { createHash, randomUUID } from 'node:crypto';
import { type InferEntity, MikroORM } from '@mikro-orm/postgresql';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
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
 * A service as textbooks recommend: entities, a separate entity manager for each request, and one query for each step.
 * Each query needs one index access. The latest values of all series need only one query.
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

/** Identifies the caller and checks the caller's rights. Returns a function that stores the access record. */
async function begin(
  request: FastifyRequest<{ Params: { id: string; key?: string } }>,
  reply: FastifyReply,
  resource: 'metrics' | 'metric_history',
) {
  const em = orm.em.fork();
  const { id: companyId, key: metricKey = null } = request.params;
  const { key, headers } = await admit(em, request.headers.authorization);
  const grant = await requireGrant(em, key, companyId);
  reply.headers({ ...headers, 'svc-request-id': request.id });
  const record = async () => {
    if (!given.records) return;
    em.create(AccessRecord, {
      id: `rec_${randomUUID()}`,
      occurredAt: new Date(),
      requestId: request.id,
      protocol: 'rest',
      keyId: key.id,
      investorId: key.investorId,
      companyId,
      scope: 'metrics:read',
      resource,
      metricKey,
      grantId: grant.id,
      outcome: 'allowed',
    });
    await em.flush();
  };
  return { em, record };
}

type Series = InferEntity<typeof MetricSeries>;
type Point = Omit<InferEntity<typeof MetricPoint>, symbol>;

function present({ companyId, key, label, category }: Series, latest: Point) {
  const { period, currency, rawValue, value, verified, confidence, revision } = latest;
  const [system, method] = [latest.sourceSystem, latest.sourceMethod];
  const [asOf, lastSynced] = [latest.asOf.toISOString(), latest.lastSynced.toISOString()];
  const signature = compactJws({
    companyId,
    key,
    period,
    rawValue: String(rawValue),
    currency: currency ?? null,
    asOf,
    source: { system, method, lastSynced },
    revision,
    signedAt: latest.signedAt.toISOString(),
    signature: latest.signature,
  });
  return {
    company_id: companyId,
    key,
    label,
    ...(currency && { currency }),
    period,
    source: { system, method, last_synced: lastSynced },
    verification: { verified, signed: true, signature, public_key_url: publicKeyUrl },
    confidence,
    value,
    raw_value: rawValue,
    raw_value_text: String(rawValue),
    category,
    as_of: asOf,
  };
}

const list = (data: unknown[], url: string) => ({
  object: 'list',
  data,
  has_more: false,
  url,
  next_cursor: null,
});

app.get<{ Params: { id: string } }>('/v1/companies/:id/metrics', async (request, reply) => {
  const { em, record } = await begin(request, reply, 'metrics');
  const { id } = request.params;
  const series = await em.find(MetricSeries, { companyId: id }, { orderBy: { key: 'asc' } });
  const points = await em.find(LatestPoint, { seriesId: { $in: series.map((one) => one.id) } });
  await record();
  const latest = new Map(points.map((one) => [one.seriesId, one]));
  const data = series.flatMap((one) => {
    const found = latest.get(one.id);
    return found === undefined ? [] : [present(one, found)];
  });
  return list(data, `/v1/companies/${id}/metrics`);
});

app.get<{ Params: { id: string; key: string } }>(
  '/v1/companies/:id/metrics/:key/history',
  async (request, reply) => {
    const { em, record } = await begin(request, reply, 'metric_history');
    const { id, key } = request.params;
    const series = await em.findOne(MetricSeries, { companyId: id, key });
    const data: unknown[] = [];
    if (series !== null) {
      const where = { seriesId: series.id };
      const points = await em.find(MetricPoint, where, { orderBy: { period: 'asc' } });
      data.push(...points.map((one) => present(series, one)));
    }
    await record();
    return list(data, `/v1/companies/${id}/metrics/${key}/history`);
  },
);

await app.listen({ port: given.port, host: '127.0.0.1' });
