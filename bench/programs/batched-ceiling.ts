import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { given } from './given.ts';
import { type Question, type Reply, serve } from './http.ts';
import { spend } from './limiter.ts';
import { facts, latestMetricsJson, outcome } from './sql.ts';

/**
 * Measures the lowest possible cost of a request if waiting requests share their SQL statements. One statement decides
 * about all these requests, and another one stores all access records. Responses are cached by company and data
 * version.
 */
const decide = `
  select key.id as key_id, key.investor_id, key.rate_limit, newest.id as grant_id,
    ${outcome} as outcome, coalesce(data.version, 0) as version
  from unnest($1::bytea[], $2::text[]) with ordinality as question (digest, company_id, position)
  ${facts}
  left join company_data_version as data on data.company_id = question.company_id
  order by question.position`;

const record = `insert into plain_access_record (id, occurred_at, request_id, protocol, key_id, investor_id,
    company_id, scope, resource, grant_id, outcome)
  select id, now(), request_id, 'rest', key_id, investor_id, company_id, 'metrics:read', 'metrics',
    grant_id, 'allowed'
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
    as read (id, request_id, key_id, investor_id, company_id, grant_id)`;

const bodiesOf = `select id, ${latestMetricsJson('company.id')} as body
  from company where id = any($1::text[])`;

interface Decision {
  readonly key_id: string;
  readonly investor_id: string;
  readonly rate_limit: number | null;
  readonly grant_id: string;
  readonly outcome: string;
  readonly version: string;
}

interface Waiting {
  readonly question: Question;
  readonly resolve: (reply: Omit<Reply, 'budget'>) => void;
  readonly reject: (error: unknown) => void;
}

// Forces generic query plans. Otherwise PostgreSQL plans each small batch again, which takes longer than running it.
const options = '-c plan_cache_mode=force_generic_plan';
const pool = new pg.Pool({ connectionString: given.databaseUrl, max: 4, options });
const bodies = new Map<string, string>();
let waiting: Waiting[] = [];
let underWay = 0;

function turn(): void {
  if (underWay >= 2 || waiting.length === 0) return;
  underWay += 1;
  const batch = waiting;
  waiting = [];
  answerAll(batch)
    .catch((error) => {
      for (const { reject } of batch) reject(error);
    })
    .finally(() => {
      underWay -= 1;
      turn();
    });
}

async function answerAll(batch: readonly Waiting[]): Promise<void> {
  const questions = batch.map(({ question }) => question);
  const companies = questions.map(({ companyId }) => companyId);
  const { rows } = await pool.query<Decision>({
    name: 'decide',
    text: decide,
    values: [questions.map(({ digest }) => digest), companies],
  });
  const allowed = rows.flatMap((row, index) =>
    row.outcome === 'allowed' ? [{ ...row, ...(questions[index] as Question) }] : [],
  );
  const texts = new Map(
    allowed.map(({ companyId, version }) => [companyId, bodies.get(companyId + version)]),
  );
  await Promise.all([
    remember(
      allowed.filter(({ companyId }) => texts.get(companyId) === undefined),
      texts,
    ),
    allowed.length > 0 &&
      pool.query({
        name: 'record',
        text: record,
        values: [
          allowed.map(() => `rec_${randomUUID()}`),
          allowed.map(({ requestId }) => requestId),
          allowed.map(({ key_id }) => key_id),
          allowed.map(({ investor_id }) => investor_id),
          allowed.map(({ companyId }) => companyId),
          allowed.map(({ grant_id }) => grant_id),
        ],
      }),
  ]);
  for (const [index, { resolve }] of batch.entries()) {
    const { outcome: found, rate_limit: limit } = rows[index] as Decision;
    const body = found === 'allowed' ? (texts.get(companies[index] as string) ?? null) : null;
    resolve({ outcome: found, body, limit });
  }
}

async function remember(
  missing: readonly { companyId: string; version: string }[],
  texts: Map<string, string | undefined>,
): Promise<void> {
  if (missing.length === 0) return;
  const versions = new Map(missing.map(({ companyId, version }) => [companyId, version]));
  const { rows } = await pool.query({
    name: 'bodies',
    text: bodiesOf,
    values: [[...versions.keys()]],
  });
  for (const { id, body } of rows) {
    texts.set(id, body);
    bodies.set(`${id}${versions.get(id)}`, body);
  }
  for (const name of bodies.keys()) {
    if (bodies.size <= (given.texts ?? Number.POSITIVE_INFINITY)) return;
    bodies.delete(name);
  }
}

serve(async (question) => {
  const decided = new Promise<Omit<Reply, 'budget'>>((resolve, reject) => {
    if (waiting.push({ question, resolve, reject }) === 1) setImmediate(turn);
  });
  const [budget, reply] = await Promise.all([spend(question.digest.toString('base64')), decided]);
  return { ...reply, budget };
});
