import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { given } from './given.ts';
import { serve } from './http.ts';
import { spend } from './limiter.ts';
import { facts, latestMetricsJson, outcome } from './sql.ts';

/**
 * Measures the lowest possible cost of a request without batches. One prepared statement decides and returns the text
 * of the response. A call to Redis runs at the same time. If the program must keep access records, the same statement
 * stores them.
 */
const decided = `
  select key.id as key_id, key.investor_id, key.rate_limit, newest.id as grant_id, ${outcome} as outcome
  from (select $1::bytea as digest, $2::text as company_id) as question ${facts}`;
const answer = `select outcome, rate_limit as limit, case when outcome = 'allowed' then
  ${latestMetricsJson('$2::text')} end as body from decided`;
const record = `insert into plain_access_record (id, occurred_at, request_id, protocol, key_id, investor_id,
    company_id, scope, resource, grant_id, outcome)
  select $3, now(), $4, 'rest', key_id, investor_id, $2, 'metrics:read', 'metrics', grant_id, outcome
  from decided where outcome = 'allowed'`;

const statement = given.records
  ? `with decided as materialized (${decided}), record as (${record}) ${answer}`
  : `with decided as materialized (${decided}) ${answer}`;

const pool = new pg.Pool({ connectionString: given.databaseUrl, max: 10 });

serve(async ({ digest, companyId, requestId }) => {
  const values = [digest, companyId];
  if (given.records) values.push(`rec_${randomUUID()}`, requestId);
  const [budget, { rows }] = await Promise.all([
    spend(digest.toString('base64')),
    pool.query({ name: 'read', text: statement, values }),
  ]);
  return { ...rows[0], budget };
});
