import { deepStrictEqual } from 'node:assert/strict';
import { type Program, type ProgramName, programs } from '../catalogue.ts';
import { historyKey } from '../data/metrics.ts';
import { portfolioSize } from '../data/sizes.ts';
import { signatureOf } from '../data/tables.ts';
import type { World } from '../data/world.ts';
import { withClient } from '../servers.ts';
import {
  dashboardQuery,
  historyPath,
  metricsPath,
  postgraphileQuery,
  trpcPath,
  type WorkloadName,
} from '../workloads.ts';
import { type Asked, ask } from './ask.ts';
import { expectHistory, expectLatest, inGraphql, inList, inTrpc } from './expected.ts';
import { mixedOutcomes, refusedCases } from './refusals.ts';

export interface Verification {
  readonly program: ProgramName;
  readonly port: number;
  readonly world: World;
  readonly databaseUrl: string;
}

/** Checks a program's responses before its speed is measured. Throws if a response is wrong. */
export async function verify(workload: WorkloadName, given: Verification): Promise<void> {
  if (given.program === 'static') return;
  await checks[workload](given);
  await checkRecords(workload, given);
  if (isService(given)) {
    const isLeast = await isLeastPrivileged(given.databaseUrl);
    same(given, 'whether its roles own nothing', isLeast, true);
  }
}

const isService = ({ program }: Verification) => program.startsWith('ours');

const checks: Readonly<Record<WorkloadName, (given: Verification) => Promise<void>>> = {
  async metrics(given) {
    const { port, world, databaseUrl } = given;
    const [investor] = world.underLoad;
    const checkMetrics = async (companies: readonly string[]) => {
      const expected = await expectLatest(databaseUrl, companies);
      for (const id of companies) {
        const { body } = await ask(port, metricsPath(id), investor.key.secret);
        same(given, `the metrics of ${id}`, body, inList(expected.get(id) ?? [], metricsPath(id)));
      }
    };
    await checkMetrics(investor.companies);
    await checkRefusals(given, metricsPath);
    const [changed = ''] = investor.companies;
    await changeData(databaseUrl, changed);
    await checkMetrics([changed]);
  },

  'metrics-uncached': (given) => checks.metrics(given),

  async history(given) {
    const { port, world, databaseUrl } = given;
    const { key, id } = companyWithHistory(world);
    const points = await expectHistory(databaseUrl, id, historyKey);
    const { body } = await ask(port, historyPath(id), key);
    same(given, `the history of ${id}`, body, inList(points, historyPath(id)));
    await checkRefusals(given, historyPath);
  },

  // Uses the check of `history`, because the HTTP requests of that check accept gzip and decode the response.
  'history-gzip': (given) => checks.history(given),

  async dashboard(given) {
    const { port, world, databaseUrl } = given;
    const [investor] = world.underLoad;
    const query = given.program === 'postgraphile' ? postgraphileQuery : dashboardQuery;
    const read = readDashboard[given.program === 'postgraphile' ? 'postgraphile' : 'ours'];
    await changeData(databaseUrl, investor.companies[0] ?? '');
    for (const { companies, key, outcomes } of [
      { ...investor, outcomes: null },
      { ...world.mixed, outcomes: mixedOutcomes(world) },
    ]) {
      const latest = await expectLatest(databaseUrl, companies);
      const answer = await ask(port, '/graphql', key.secret, query);
      const seen = read(answer);
      for (const id of companies) {
        const code = outcomes?.get(id) ?? null;
        const metrics = (latest.get(id) ?? []).map(inGraphql);
        // PostGraphile hides data without access and returns no error code.
        const refused = given.program === 'postgraphile' ? [] : code;
        same(given, `company ${id}`, seen.get(id), code === null ? metrics : refused);
      }
      same(given, 'the number of companies', seen.size, companies.length);
    }
    for (const key of [world.unknownSecret, world.mixed.expiredKey.secret]) {
      const answer = await ask(port, '/graphql', key, query);
      const isRefused = answer.status === 401 || read(answer).size === 0;
      same(given, 'whether a key that does not work is refused', isRefused, true);
    }
  },

  async trpc(given) {
    const { port, world, databaseUrl } = given;
    const [investor] = world.underLoad;
    const [id = ''] = investor.companies;
    const latest = await expectLatest(databaseUrl, [id]);
    const { body } = await ask(port, trpcPath(id), investor.key.secret);
    const metrics = (latest.get(id) ?? []).map(inTrpc);
    same(given, `the metrics of ${id}`, body?.result?.data, metrics);
    for (const { what, key, companyId, status } of refusedCases(world)) {
      same(given, what, (await ask(port, trpcPath(companyId), key)).status, status);
    }
  },
};

function companyWithHistory({ underLoad, longHistories }: World): { key: string; id: string } {
  for (const { companies, key } of underLoad) {
    const id = companies.find((company) => longHistories.has(company));
    if (id !== undefined) return { key: key.secret, id };
  }
  throw new Error('no company under load has a long history');
}

async function checkRefusals(given: Verification, path: (companyId: string) => string) {
  for (const { what, key, companyId, status, code } of refusedCases(given.world)) {
    const answer = await ask(given.port, path(companyId), key);
    const seen = { status: answer.status, code: answer.body?.error?.code };
    same(given, what, seen, { status, code });
  }
}

type Dashboard = ReadonlyMap<string, unknown>;

/** Reads each company's metrics, or the error code. The metrics have the format of our own API. */
const readDashboard: Readonly<Record<'ours' | 'postgraphile', (answer: Asked) => Dashboard>> = {
  ours: ({ body }) =>
    new Map(
      (body.data?.companies?.nodes ?? []).map((company: AnyCompany) => [
        company.id,
        company.metrics?.code?.toLowerCase() ?? company.metrics?.metrics,
      ]),
    ),
  postgraphile: ({ body }) =>
    new Map(
      (body.data?.allCompaniesList ?? []).map((company: AnyCompany) => [
        company.rowId,
        company.metrics.map(
          ({
            sourceSystem,
            sourceMethod,
            lastSynced,
            verified,
            signed,
            asOf,
            ...rest
          }: AnyCompany) => ({
            ...rest,
            source: {
              system: sourceSystem,
              method: sourceMethod,
              lastSynced: new Date(lastSynced).toISOString(),
            },
            verification: { verified, signed },
            asOf: new Date(asOf).toISOString(),
          }),
        ),
      ]),
    ),
};

// biome-ignore lint/suspicious/noExplicitAny: compared as a whole with the expected value
type AnyCompany = any;

function same({ program }: Verification, what: string, seen: unknown, expected: unknown): void {
  try {
    deepStrictEqual(seen, expected);
  } catch (error) {
    const difference = error instanceof Error ? error.message.slice(0, 2_000) : '';
    throw new Error(`${program} answers wrongly: ${what}\n${difference}`);
  }
}

/** Checks that each read uses points and creates as many access records as the program claims. */
async function checkRecords(workload: WorkloadName, given: Verification): Promise<void> {
  const { program, port, world, databaseUrl } = given;
  const { key, id } = companyWithHistory(world);
  const query = program === 'postgraphile' ? postgraphileQuery : dashboardQuery;
  const inRest = () => ask(port, metricsPath(id), key);
  const history = () => ask(port, historyPath(id), key);
  const read = {
    ...{ metrics: inRest, 'metrics-uncached': inRest },
    ...{ history, 'history-gzip': history },
    dashboard: () => ask(port, '/graphql', key, query),
    trpc: () => ask(port, trpcPath(id), key),
  }[workload];
  const first = await read();
  const before = await countRecords(databaseUrl);
  const second = await read();
  const records = (await countRecords(databaseUrl)) - before;
  const { given: options }: Program = programs[program];
  const claimed = isService(given) || options?.records ? 1 : 0;
  const companies = workload === 'dashboard' ? portfolioSize : 1;
  same(given, 'the access records of a read', records, claimed * companies);
  const remaining = ({ headers }: Asked) => Number(headers.get('ratelimit-remaining'));
  same(given, 'whether a read lowers the budget', remaining(second) < remaining(first), true);
}

/** Counts only the records of allowed reads, because the records of refused reads are written after the response. */
async function countRecords(databaseUrl: string): Promise<number> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query(`select (select count(*) from access_record where outcome = 'allowed')
        + (select count(*) from plain_access_record where outcome = 'allowed') as count`),
  );
  return Number(rows[0].count);
}

/** Returns true if all other connections use least-privilege roles. */
async function isLeastPrivileged(databaseUrl: string): Promise<boolean> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query(`select count(distinct usename) = 2 and not bool_or(
        rolsuper or rolbypassrls
        or exists (select from pg_class where relowner = pg_roles.oid)
      ) as is_least
      from pg_stat_activity join pg_roles on rolname = usename
      where datname = current_database() and pid <> pg_backend_pid()`),
  );
  return rows[0].is_least;
}

/** Changes the newest value of one metric like an import: with a new revision, signature and data version. */
const change = `
  with changed as (
    update metric_point as point set raw_value = raw_value + 1,
      value = to_char(raw_value + 1, 'FM$999,999,999,990.00'),
      as_of = now(), revision = revision + 1, signed_at = now(),
      signature = ${signatureOf('(raw_value + 1)', '(revision + 1)')}
    from (
      select series_id, max(period) as period from metric_point
      where series_id = (select id from metric_series where company_id = $1 and key = 'arr')
      group by series_id
    ) as newest
    where (point.series_id, point.period) = (newest.series_id, newest.period)
    returning 1
  )
  update company_data_version
  set version = greatest(version + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)
  where company_id = $1 and exists (select from changed)`;

async function changeData(databaseUrl: string, companyId: string): Promise<void> {
  const { rowCount } = await withClient(databaseUrl, (client) => client.query(change, [companyId]));
  if (rowCount !== 1) throw new Error(`${companyId} has no data to change`);
}
