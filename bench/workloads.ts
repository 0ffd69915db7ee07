import type { ProgramName } from './catalogue.ts';
import { historyKey, historyPoints, metricDefinitions } from './data/metrics.ts';
import { createRandom } from './data/random.ts';
import { portfolioSize } from './data/sizes.ts';
import type { World } from './data/world.ts';
import type { LoadRequest } from './load/requests.ts';

export type WorkloadName = 'metrics' | 'history' | 'history-gzip' | 'dashboard' | 'trpc';

export interface Workload {
  readonly title: string;
  readonly programs: readonly ProgramName[];
  /** What is asked in an endless round; the same for every program, but for the words of its query language. */
  requests(world: World, program: ProgramName): LoadRequest[];
}

/** No answer of these sizes can be shorter: a metric takes more than that in any of the forms. */
const bytesOfMetric = 250;
const compressedBytesOfMetric = 5;
const metricsOfCompany = metricDefinitions.length;

const metricFields = `key label category currency period value rawValue
  source { system method lastSynced } verification { verified signed } confidence asOf`;

/** The dashboard query in the words of our schema, which the hand-written server shares. */
export const dashboardQuery = `{ companies { nodes { id name metrics { __typename
  ... on CompanyMetrics { metrics { ${metricFields} } } ... on AccessRefusal { code } } } } }`;

export const postgraphileQuery = `{ allCompaniesList { rowId name metrics {
  key label category currency period value rawValue sourceSystem sourceMethod lastSynced verified
  confidence asOf } } }`;

export const workloads: Readonly<Record<WorkloadName, Workload>> = {
  metrics: {
    title: `REST: the latest ${metricsOfCompany} metrics of a company`,
    programs: [
      'ours',
      'ours, two workers',
      'textbook',
      'textbook, recorded',
      'ceiling',
      'ceiling, recorded',
      'batched ceiling',
      'static',
    ],
    requests: (world) =>
      shuffled(
        pairsOf(world).map(({ key, companyId }) => ({
          method: 'GET',
          path: metricsPath(companyId),
          key,
          minBytes: metricsOfCompany * bytesOfMetric,
        })),
      ),
  },
  history: {
    title: `REST: a history of ${historyPoints.toLocaleString('en')} points`,
    programs: ['ours', 'textbook', 'textbook, recorded'],
    requests: (world) => shuffled(historiesOf(world, historyPoints * bytesOfMetric)),
  },
  'history-gzip': {
    title: `REST: the same history, to a caller that accepts gzip`,
    programs: ['ours', 'textbook', 'textbook, recorded'],
    requests: (world) =>
      shuffled(
        historiesOf(world, historyPoints * compressedBytesOfMetric).map((request) => ({
          ...request,
          acceptEncoding: 'gzip',
        })),
      ),
  },
  dashboard: {
    title: `GraphQL: a dashboard of ${portfolioSize} companies with ${metricsOfCompany} metrics each`,
    programs: [
      'ours',
      'ours, two workers',
      'postgraphile',
      'hand-written',
      'hand-written, recorded',
    ],
    requests: (world, program) =>
      shuffled(
        world.underLoad.map(({ key }) => ({
          method: 'POST',
          path: '/graphql',
          key: key.secret,
          body: JSON.stringify({
            query: program === 'postgraphile' ? postgraphileQuery : dashboardQuery,
          }),
          minBytes: portfolioSize * metricsOfCompany * bytesOfMetric,
        })),
      ),
  },
  trpc: {
    title: `tRPC: one call for the latest ${metricsOfCompany} metrics of a company, beside REST`,
    programs: ['ours'],
    requests: (world) =>
      shuffled(
        pairsOf(world).map(({ key, companyId }) => ({
          method: 'GET',
          path: trpcPath(companyId),
          key,
          minBytes: metricsOfCompany * bytesOfMetric,
        })),
      ),
  },
};

export const metricsPath = (companyId: string) => `/v1/companies/${companyId}/metrics`;
export const historyPath = (companyId: string) => `${metricsPath(companyId)}/${historyKey}/history`;
export const trpcPath = (companyId: string) =>
  `/trpc/metrics.latest?input=${encodeURIComponent(JSON.stringify({ companyId }))}`;

function pairsOf({ underLoad }: World): { key: string; companyId: string }[] {
  return underLoad.flatMap(({ companies, key }) =>
    companies.map((companyId) => ({ key: key.secret, companyId })),
  );
}

function historiesOf(world: World, minBytes: number): LoadRequest[] {
  return pairsOf(world)
    .filter(({ companyId }) => world.longHistories.has(companyId))
    .map(({ key, companyId }) => ({ method: 'GET', path: historyPath(companyId), key, minBytes }));
}

function shuffled(requests: LoadRequest[]): LoadRequest[] {
  return createRandom(requests.length).sample(requests, requests.length);
}
