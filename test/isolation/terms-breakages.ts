import {
  AccessError,
  type AccessTerms,
  type InvestorUseCases,
  type Metric,
  type Ports,
  type Reading,
  type VersionedAccessFacts,
} from '#core';
import { authenticateBy, newest } from './breakages.ts';
import type { BrokenPolicy } from './find-fault.ts';

type NewestRequest = NonNullable<VersionedAccessFacts['newestRequest']>;

const grants =
  (lie: (grant: NewestRequest) => Partial<NewestRequest>) =>
  ({ accessFacts }: Ports): Partial<Ports> => {
    const change = (facts: VersionedAccessFacts) =>
      facts.newestRequest === null ? facts : newest(facts, lie(facts.newestRequest));
    const read: typeof accessFacts.read = async (question) =>
      change(await accessFacts.read(question));
    return {
      accessFacts: { ...accessFacts, read, authenticate: authenticateBy(read, accessFacts) },
    };
  };

const withTerms = (change: (terms: AccessTerms) => Partial<AccessTerms>) =>
  grants(({ approvedTerms }) => ({
    approvedTerms: approvedTerms && { ...approvedTerms, ...change(approvedTerms) },
  }));

const eventsWithTerms =
  (change: (terms: AccessTerms) => AccessTerms | null) =>
  ({ directory }: Ports): Partial<Ports> => ({
    directory: {
      ...directory,
      async findInPortfolio(...pair) {
        const entry = await directory.findInPortfolio(...pair);
        if (!entry?.newestRequest?.approvedTerms) return entry;
        const approvedTerms = change(entry.newestRequest.approvedTerms);
        return { ...entry, newestRequest: { ...entry.newestRequest, approvedTerms } };
      },
    },
  });

const withEveryPeriod =
  (name: 'metricHistory' | 'metricHistories' | 'recentValues') =>
  ({ companyData }: Ports): Partial<Ports> => {
    const read = companyData[name] as (...given: unknown[]) => unknown;
    const everyPeriod = { from: null, to: null };
    const readAll = (...given: unknown[]) => read(...given.slice(0, -1), everyPeriod);
    return { companyData: { ...companyData, [name]: readAll } };
  };

const readingAs = <Data>(reading: Reading<Data>, load: () => Promise<Data>): Reading<Data> => ({
  ...reading,
  name: `other ${reading.name}`,
  load,
  loadBeforeCommit: load,
});

const reads = [
  'readLatestMetrics',
  'readLatestMetric',
  'readMetricHistory',
  'readMetricHistories',
  'readMetricRevisions',
] as const;

function withNames(useCases: InvestorUseCases, rename: (name: string) => string): InvestorUseCases {
  const renamed = reads.map((read) => {
    const useCase = useCases[read] as (...given: unknown[]) => Promise<Reading<unknown>>;
    const rest = async (...given: unknown[]) => {
      const reading = await useCase(...given);
      return { ...reading, name: rename(reading.name) };
    };
    return [read, rest];
  });
  return { ...useCases, ...Object.fromEntries(renamed) };
}

export const termsBreakages: Readonly<Record<string, BrokenPolicy>> = {
  'ignores the metrics of the terms': {
    world: 4,
    replace: withTerms(() => ({ metricKeys: null })),
    explanation: /because .*(?:leave out the metric|under terms)/,
  },
  'ignores the first period of the terms': {
    world: 4,
    replace: withTerms(() => ({ historyFrom: null })),
    explanation: /because .*under terms/,
  },
  'ignores the first period of the terms in the history of a metric': {
    world: 4,
    replace: withEveryPeriod('metricHistory'),
    explanation: /(?:histor|everything at once)[\s\S]*because .*under terms/,
  },
  'ignores the first period of the terms in GraphQL histories only': {
    world: 15,
    interpose: (useCases, { companyData, settings }) => ({
      ...useCases,
      async readMetricHistory(caller, input) {
        const reading = await useCases.readMetricHistory(caller, input);
        if (!('protocol' in caller) || caller.protocol !== 'graphql') return reading;
        const { environment } = caller;
        const at = { companyId: input.companyId, dataVersion: '0', environment, terms: null };
        const company = { ...at, publicKeyUrl: settings.publicKeyUrl() };
        return readingAs(reading, () =>
          companyData.metricHistory(company, input.key, { from: null, to: null }),
        );
      },
    }),
    explanation:
      /^GraphQL: (?:the history of a metric|everything at once)[\s\S]*because .*under terms/,
  },
  'ignores the first period of the terms in several histories at once': {
    world: 4,
    replace: withEveryPeriod('metricHistories'),
    explanation: /^GraphQL: the histories of two metrics of [\s\S]*because .*under terms/,
  },
  'ignores the first period of the terms in the newest values': {
    world: 15,
    replace: withEveryPeriod('recentValues'),
    explanation: /^the use case: the figures of several companies/,
  },
  'ignores the terms when it reads one metric by its key': {
    world: 10,
    interpose: (useCases) => ({
      ...useCases,
      async readLatestMetric(caller, { companyId, key }) {
        const reading = await useCases.readLatestMetrics(caller, { companyId });
        const load = async (): Promise<Metric> => {
          const found = (await reading.load()).find((metric) => metric.key === key);
          if (found === undefined) throw new AccessError('metric_not_found');
          return found;
        };
        const name = `${reading.name} ${key}`;
        return {
          ...{ name, load, resource: 'metric', hasUnlimitedVariants: false },
          loadBeforeCommit: load,
          resolveAfterCommit: reading.resolveAfterCommit,
        };
      },
    }),
    explanation: /leave out the metric|because .*granted it/,
  },
  'caches encoded data, with its ETag, without the terms': {
    world: 8,
    // The name of a reading begins with the company, its data version and the terms.
    interpose: (useCases) => withNames(useCases, (name) => name.replace(/^(\S+ \S+) \S*/, '$1 ')),
    explanation: /because .*(?:granted it|the company’s own)/,
  },
  'allows reads of a paused grant': {
    world: 1,
    replace: grants(() => ({ pausedAt: null })),
    explanation: /because .*the company has paused the grant/,
  },
  'applies narrower terms one read too late': {
    world: 7,
    replace(ports) {
      const before = new Map<string, AccessTerms | null>();
      return grants(({ id, approvedTerms }) => {
        const last = before.get(id);
        before.set(id, approvedTerms);
        return last === undefined ? {} : { approvedTerms: last };
      })(ports);
    },
    explanation: /because .*(?:granted it|leave out the metric)|first read/,
  },
  'never ends a grant for one use': {
    world: 2,
    replace: withTerms(() => ({ use: 'ongoing' })),
    explanation: /because /,
  },
  'sends an investor data events about metrics outside the terms': {
    world: 4,
    replace: eventsWithTerms((terms) => ({ ...terms, metricKeys: null })),
    explanation: /because .*these are the events of the portfolio/,
  },
  'sends an investor data events about values before the first period of the terms': {
    world: 4,
    replace: eventsWithTerms((terms) => ({ ...terms, historyFrom: null })),
    explanation: /because .*these are the events of the portfolio/,
  },
};
