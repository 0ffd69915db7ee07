import type { ProgramName } from './catalogue.ts';
import { historyKey, historyPoints, metricDefinitions } from './data/metrics.ts';
import { createRandom } from './data/random.ts';
import { portfolioSize } from './data/sizes.ts';
import type { World } from './data/world.ts';
import type { LoadRequest } from './load/requests.ts';

export type WorkloadName =
  | 'metrics'
  | 'metrics-uncached'
  | 'history'
  | 'history-gzip'
  | 'dashboard'
  | 'trpc';

export interface Workload {
  readonly title: string;
  readonly programs: readonly ProgramName[];
  /** True if the workload is also measured with one connection. */
  readonly isAlsoAlone?: true;
  /** The maximum number of connections. With more connections, requests wait so long that the service rejects them. */
  readonly mostConnections?: number;
  /** The requests, which are sent again and again. A GraphQL query depends on the program. */
  requests(world: World, program: ProgramName): LoadRequest[];
}

/** The minimum size of a metric in bytes, in any protocol. */
const bytesOfMetric = 250;
const compressedBytesOfMetric = 5;
const metricsOfCompany = metricDefinitions.length;

/** The service handles half of these requests at the same time, and the others wait. */
const dashboardsAtOnce = 16;

const metricFields = `key label category currency period value rawValue
  source { system method lastSynced } verification { verified signed } confidence asOf`;

/** The dashboard query for our schema, which the hand-written server has too. */
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
  'metrics-uncached': {
    title: 'REST: the same, with more companies than a cache holds',
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
  trpc: {
    title: `tRPC: one call for the latest ${metricsOfCompany} metrics of a company`,
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

/** Returns the reads of each investor that sends load, of the companies in `only` or of the whole portfolio. */
function reads(
  { underLoad }: World,
  pathOf: (companyId: string) => string,
  minBytes: number,
  only?: ReadonlySet<string>,
): LoadRequest[] {
  return shuffled(
    underLoad.flatMap(({ companies, key }) =>
      companies
        .filter((companyId) => only?.has(companyId) ?? true)
        .map((companyId) => ({
          method: 'GET',
          path: pathOf(companyId),
          key: key.secret,
          minBytes,
        })),
    ),
  );
}

function dashboards(world: World, program: ProgramName): LoadRequest[] {
  const query = program === 'postgraphile' ? postgraphileQuery : dashboardQuery;
  return shuffled(
    world.underLoad.map(({ key }) => ({
      method: 'POST',
      path: '/graphql',
      key: key.secret,
      body: JSON.stringify({ query }),
      minBytes: portfolioSize * metricsOfCompany * bytesOfMetric,
    })),
  );
}

function shuffled(requests: LoadRequest[]): LoadRequest[] {
  return createRandom(requests.length).sample(requests, requests.length);
}
