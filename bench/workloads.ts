import type { ProgramName } from './catalogue.ts';
import { historyKey, historyPoints, metricDefinitions } from './data/metrics.ts';
import { createRandom } from './data/random.ts';
import { portfolioSize } from './data/sizes.ts';
import type { World } from './data/world.ts';
import type { LoadRequest } from './load/requests.ts';

export type WorkloadName =
  | 'metrics'
  | 'metrics-changing'
  | 'metrics-uncached'
  | 'history'
  | 'history-gzip'
  | 'dashboard'
  | 'dashboard-changing'
  | 'trpc';

export interface Workload {
  readonly title: string;
  readonly programs: readonly ProgramName[];
  /** One request in this number comes right after a change of its data. */
  readonly oneInChanges?: number;
  /** True if it also runs with one connection alone. */
  readonly isAlsoAlone?: true;
  /** More connections would only measure how our service refuses: their requests would wait too long. */
  readonly mostConnections?: number;
  /** The endless round of requests, the same for every program except for its query language. */
  requests(world: World, program: ProgramName): LoadRequest[];
}

/** No answer of these sizes can be shorter: a metric takes more than that in each form. */
const bytesOfMetric = 250;
const compressedBytesOfMetric = 5;
const metricsOfCompany = metricDefinitions.length;

/** Twice as many as our service runs at once. The others wait, as in any service with two cores. */
const dashboardsAtOnce = 16;

const metricFields = `key label category currency period value rawValue
  source { system method lastSynced } verification { verified signed } confidence asOf`;

/** The dashboard query in our schema, which the hand-written server shares. */
export const dashboardQuery = `{ companies { nodes { id name metrics { __typename
  ... on CompanyMetrics { metrics { ${metricFields} } } ... on AccessRefusal { code } } } } }`;

export const postgraphileQuery = `{ allCompaniesList { rowId name metrics {
  key label category currency period value rawValue sourceSystem sourceMethod lastSynced verified signed
  confidence asOf } } }`;

export const workloads: Readonly<Record<WorkloadName, Workload>> = {
  metrics: {
    title: `REST: the latest ${metricsOfCompany} metrics of a company`,
    programs: [
      'ours',
      'ours, four workers',
      'textbook',
      'textbook, recorded',
      'ceiling',
      'ceiling, recorded',
      'batched ceiling',
      'static',
    ],
    isAlsoAlone: true,
    requests: latestMetrics,
  },
  'metrics-changing': {
    title: 'REST: the same, where 1 % of the reads come after a change of the data',
    programs: ['ours', 'textbook', 'ceiling, recorded', 'batched ceiling'],
    oneInChanges: 100,
    requests: latestMetrics,
  },
  'metrics-uncached': {
    title: 'REST: the same, of more companies than a cache holds',
    programs: [
      'ours, small cache',
      'textbook',
      'ceiling, recorded',
      'batched ceiling, small cache',
    ],
    requests: latestMetrics,
  },
  history: {
    title: `REST: a history of ${historyPoints.toLocaleString('en')} points`,
    programs: ['ours', 'textbook', 'textbook, recorded'],
    requests: (world) => histories(world, bytesOfMetric),
  },
  'history-gzip': {
    title: `REST: the same history, to a caller that accepts gzip`,
    programs: ['ours', 'textbook', 'textbook, recorded'],
    requests: (world) =>
      histories(world, compressedBytesOfMetric).map((request) => ({
        ...request,
        headers: { 'accept-encoding': 'gzip' },
      })),
  },
  dashboard: {
    title: `GraphQL: a dashboard of ${portfolioSize} companies with ${metricsOfCompany} metrics each`,
    programs: ['ours', 'postgraphile', 'hand-written', 'hand-written, recorded'],
    mostConnections: dashboardsAtOnce,
    requests: dashboards,
  },
  'dashboard-changing': {
    title: 'GraphQL: the same, where 1 % of the companies have changed since they were read',
    programs: ['ours', 'postgraphile', 'hand-written, recorded'],
    oneInChanges: 100 / portfolioSize,
    mostConnections: dashboardsAtOnce,
    requests: dashboards,
  },
  trpc: {
    title: `tRPC: one call for the latest ${metricsOfCompany} metrics of a company, beside REST`,
    programs: ['ours'],
    requests: (world) => reads(world, trpcPath, metricsOfCompany * bytesOfMetric),
  },
};

export const connectionsOf = (name: WorkloadName, wanted: number): number =>
  Math.min(wanted, workloads[name].mostConnections ?? wanted);

export const metricsPath = (companyId: string) => `/v1/companies/${companyId}/metrics`;
export const historyPath = (companyId: string) => `${metricsPath(companyId)}/${historyKey}/history`;
export const trpcPath = (companyId: string) =>
  `/trpc/metrics.latest?input=${encodeURIComponent(JSON.stringify({ companyId }))}`;

function latestMetrics(world: World): LoadRequest[] {
  return reads(world, metricsPath, metricsOfCompany * bytesOfMetric);
}

const histories = (world: World, bytesOfPoint: number) =>
  reads(world, historyPath, historyPoints * bytesOfPoint, world.longHistories);

/** The requests for every company, or for these, by each investor under load that has it. */
function reads(
  { underLoad }: World,
  pathOf: (companyId: string) => string,
  minBytes: number,
  of?: ReadonlySet<string>,
): LoadRequest[] {
  return shuffled(
    underLoad.flatMap(({ companies, key }) =>
      companies
        .filter((companyId) => of?.has(companyId) ?? true)
        .map((companyId) => ({
          method: 'GET',
          path: pathOf(companyId),
          key: key.secret,
          companyId,
          minBytes,
        })),
    ),
  );
}

function dashboards(world: World, program: ProgramName): LoadRequest[] {
  const query = program === 'postgraphile' ? postgraphileQuery : dashboardQuery;
  return shuffled(
    world.underLoad.flatMap(({ key, companies }) =>
      companies.slice(0, 5).map((companyId) => ({
        method: 'POST',
        path: '/graphql',
        key: key.secret,
        companyId,
        body: JSON.stringify({ query }),
        minBytes: portfolioSize * metricsOfCompany * bytesOfMetric,
      })),
    ),
  );
}

function shuffled(requests: LoadRequest[]): LoadRequest[] {
  return createRandom(requests.length).sample(requests, requests.length);
}
