import { hash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import DataLoader from 'dataloader';
import { createSchema, createYoga } from 'graphql-yoga';
import pg from 'pg';
import { given } from './given.ts';
import { type Budget, budgetHeaders, spend } from './limiter.ts';

/**
 * A careful GraphQL server, written by hand. One SQL statement reads the portfolio and decides about access. A second
 * statement reads the metrics of all requested companies, with one index access per series.
 */
const typeDefs = `
  type Query { companies: CompanyConnection }
  type CompanyConnection { nodes: [Company!]! }
  type Company { id: ID!  name: String  metrics: CompanyMetricsResult }
  union CompanyMetricsResult = CompanyMetrics | AccessRefusal
  type CompanyMetrics { metrics: [Metric!]! }
  type AccessRefusal { code: String! }
  type Metric {
    key: String!  label: String!  category: String!  currency: String  period: String!
    value: String!  rawValue: String!  source: MetricSource!  verification: Verification!
    confidence: String!  asOf: String!
  }
  type MetricSource { system: String!  method: String!  lastSynced: String! }
  type Verification { verified: Boolean!  signed: Boolean! }`;

const portfolio = `
  select company.id, company.name, newest.id as grant_id, case
      when not $3::text[] @> '{metrics:read}' then 'insufficient_scope'
      when newest.status = 'pending' then 'access_pending'
      when newest.status = 'revoked' then 'access_revoked'
      when newest.status = 'approved' and newest.approved_scopes @> '{metrics:read}' then 'allowed'
      else 'access_required' end as outcome
  from portfolio_membership as membership
  join company on company.id = membership.company_id
  left join lateral (
    select id, approved_scopes, case when deadline_at > $2 or status = 'revoked' then status end as status
    from access_request
    where investor_id = membership.investor_id and company_id = membership.company_id
    order by created_at desc, id desc limit 1
  ) as newest on true
  where membership.investor_id = $1
  order by company.name collate "C", company.id collate "C"`;

const latestMetrics = `
  select series.company_id, series.key, series.label, series.category, point.currency,
    point.period::text, trim_scale(point.raw_value)::text as raw_value, point.value, point.as_of,
    point.confidence, point.source_system, point.source_method, point.last_synced, point.verified,
    point.signature is not null as signed
  from metric_series as series
  cross join lateral (
    select * from metric_point where series_id = series.id order by period desc limit 1
  ) as point
  where series.company_id = any($1::text[])
  order by series.company_id, series.key collate "C"`;

const insertRecords = `
  insert into plain_access_record (id, occurred_at, request_id, protocol, key_id, investor_id,
    company_id, scope, resource, grant_id, outcome)
  select id, now(), $2, 'graphql', $3, $4, company_id, 'metrics:read', 'metrics', grant_id, 'allowed'
  from unnest($1::text[], $5::text[], $6::text[]) as read (id, company_id, grant_id)`;

interface Key {
  readonly id: string;
  readonly investor_id: string;
  readonly scopes: string[];
  readonly rate_limit: number | null;
}

interface Company {
  readonly id: string;
  readonly name: string;
  readonly grant_id: string;
  readonly outcome: string;
}

interface Context {
  readonly key: Key;
  readonly metricsOf: DataLoader<Company, readonly object[]>;
}

const pool = new pg.Pool({ connectionString: given.databaseUrl, max: 10 });

const createLoader = (key: Key, requestId: string) =>
  new DataLoader<Company, readonly object[]>(
    async (companies) => {
      const ids = companies.map(({ id }) => id);
      const [{ rows }] = await Promise.all([
        pool.query({ name: 'metrics', text: latestMetrics, values: [ids] }),
        given.records && record(key, requestId, companies),
      ]);
      const found = Map.groupBy(rows, (row) => row.company_id as string);
      return ids.map((id) => (found.get(id) ?? []).map(present));
    },
    { cache: false },
  );

const record = (key: Key, requestId: string, companies: readonly Company[]) =>
  pool.query({
    name: 'record',
    text: insertRecords,
    values: [
      companies.map(() => `rec_${randomUUID()}`),
      requestId,
      key.id,
      key.investor_id,
      companies.map(({ id }) => id),
      companies.map(({ grant_id }) => grant_id),
    ],
  });

const present = (row: Record<string, unknown> & { as_of: Date; last_synced: Date }) => ({
  key: row.key,
  label: row.label,
  category: row.category,
  currency: row.currency,
  period: row.period,
  value: row.value,
  rawValue: row.raw_value,
  source: {
    system: row.source_system,
    method: row.source_method,
    lastSynced: row.last_synced.toISOString(),
  },
  verification: { verified: row.verified, signed: row.signed },
  confidence: row.confidence,
  asOf: row.as_of.toISOString(),
});

const resolvers = {
  Query: {
    companies: async (_root: unknown, _arguments: unknown, { key }: Context) => {
      const values = [key.investor_id, new Date(), key.scopes];
      const { rows } = await pool.query({ name: 'portfolio', text: portfolio, values });
      return { nodes: rows };
    },
  },
  Company: {
    metrics: async (company: Company, _arguments: unknown, { metricsOf }: Context) =>
      company.outcome === 'allowed'
        ? { __typename: 'CompanyMetrics', metrics: await metricsOf.load(company) }
        : { __typename: 'AccessRefusal', code: company.outcome },
  },
};

interface ServerContext {
  readonly key: Key;
  readonly requestId: string;
}

const yoga = createYoga<ServerContext, Context>({
  schema: createSchema<ServerContext & Context>({ typeDefs, resolvers }),
  context: ({ key, requestId }): Context => ({ key, metricsOf: createLoader(key, requestId) }),
  graphiql: false,
  landingPage: false,
  logging: false,
});

async function admit(authorization = ''): Promise<{ key: Key; budget: Budget } | null> {
  const digest = hash('sha256', authorization.replace(/^Bearer /, ''), 'buffer');
  const { rows } = await pool.query({
    name: 'key',
    text: `select id, investor_id, scopes, rate_limit from api_key
      where digest = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`,
    values: [digest, new Date()],
  });
  const [key] = rows;
  return key === undefined ? null : { key, budget: await spend(key.id) };
}

createServer(async (request, response) => {
  const requestId = `req_${randomUUID()}`;
  response.setHeader('svc-request-id', requestId);
  const admitted = await admit(request.headers.authorization);
  if (admitted === null) {
    response.writeHead(401).end();
    return;
  }
  const limit = admitted.key.rate_limit ?? 600;
  for (const [name, value] of Object.entries(budgetHeaders(limit, admitted.budget))) {
    response.setHeader(name, value);
  }
  if (admitted.budget.spent > limit) response.writeHead(429).end();
  else await yoga(request, response, { key: admitted.key, requestId });
}).listen(given.port, '127.0.0.1');
