import { z } from 'zod';
import { isMetricKey, type Metric } from '../../model/company-data/metric.ts';
import { sourcesAt } from '../../model/company-data/source.ts';
import { AccessError } from '../../model/errors.ts';
import {
  type CompanyCaller,
  type InvestorCaller,
  isInvestorCaller,
  requireScope,
} from '../../model/identity/caller.ts';
import { companyInput, parseInput } from '../../model/input.ts';
import { isExpressible } from '../../model/time.ts';
import type { CompanyData } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { passGate } from '../consent/gate.ts';
import { allowOwnRead } from './read-own-data.ts';
import { createReading, type DataRead, type Reading } from './reading.ts';

/**
 * Creates a use case that reads company data. An investor must pass the access check (`passGate`). A company can read
 * only its own data.
 *
 * @throws AccessError the errors of `passGate`, or `company_not_found`
 */
const createGatedRead =
  <Schema extends z.ZodType, Data>(
    schema: Schema,
    describe: (input: z.output<Schema>, data: CompanyData) => DataRead<Data>,
  ) =>
  (ports: Ports) =>
  async (
    caller: InvestorCaller | CompanyCaller,
    input: z.input<Schema>,
  ): Promise<Reading<Data>> => {
    const read = describe(parseInput(schema, input), ports.companyData);
    const allowed = isInvestorCaller(caller)
      ? await passGate(ports, caller, read)
      : await allowOwnRead(ports, caller, read);
    return createReading(read, allowed);
  };

export const maxMetricKeys = 200;

const metricKey = z.string();

export const latestMetricsInput = companyInput.extend({
  keys: z.array(metricKey).max(maxMetricKeys).nullish(),
});

/** Returns the latest value of every metric of a company, sorted by key. With `keys`, returns only these metrics. */
export const readLatestMetrics = createGatedRead(
  latestMetricsInput,
  ({ companyId, keys }, data) => ({
    companyId,
    resource: 'metrics',
    ...(keys && { part: JSON.stringify(keys) }),
    async load(company) {
      const metrics = await data.latestMetrics(company);
      return keys == null ? metrics : metrics.filter(({ key }) => keys.includes(key));
    },
  }),
);

export const metricInput = companyInput.extend({ key: metricKey });

/** @throws AccessError `metric_not_found` if the company has no data for the key */
export const readLatestMetric = createGatedRead(metricInput, ({ companyId, key }, data) => ({
  companyId,
  resource: 'metric',
  metricKey: key,
  async load(company) {
    const metrics = await data.latestMetrics(company);
    const metric = metrics.find((candidate) => candidate.key === key);
    if (metric === undefined) throw metricNotFound(metrics.map((candidate) => candidate.key));
    return metric;
  },
}));

/** The maximum number of keys in an error message. */
const maxNamedKeys = 20;

function metricNotFound(knownKeys: readonly string[]): AccessError {
  if (knownKeys.length === 0) return new AccessError('metric_not_found');
  const others = knownKeys.length > maxNamedKeys ? ' and others' : '';
  const named = `${knownKeys.slice(0, maxNamedKeys).join(', ')}${others}`;
  return new AccessError('metric_not_found', {
    message: `The company has no data for this metric. It has data for ${named}.`,
    details: { param: 'key', allowed: knownKeys.slice(0, maxMetricKeys) },
  });
}

export const periodInput = z.iso.date().refine((text) => isExpressible(new Date(text)));

export const metricHistoryInput = metricInput.extend({
  from: periodInput.nullish(),
  to: periodInput.nullish(),
});

export const historyOf = (
  { companyId, key, from = null, to = null }: z.output<typeof metricHistoryInput>,
  data: CompanyData,
): DataRead<readonly Metric[]> => ({
  companyId,
  resource: 'metric_history',
  metricKey: key,
  ...((from !== null || to !== null) && { part: JSON.stringify([from, to]) }),
  load: async (company) => (isMetricKey(key) ? data.metricHistory(company, key, { from, to }) : []),
});

/** Returns the values in the given periods, oldest first. Empty if the company has no data for the key. */
export const readMetricHistory = createGatedRead(metricHistoryInput, historyOf);

export const maxHistoryKeys = 12;

const metricHistoriesInput = companyInput.extend({
  keys: z.array(metricKey).min(1).max(maxHistoryKeys),
  from: periodInput.nullish(),
  to: periodInput.nullish(),
});

/** Returns several histories with one read, in the order of the keys. A repeated key is returned once. */
export const readMetricHistories = createGatedRead(
  metricHistoriesInput,
  ({ companyId, keys: requestedKeys, from = null, to = null }, data) => {
    const keys = [...new Set(requestedKeys)];
    return {
      companyId,
      resource: 'metric_history',
      part: `of several ${JSON.stringify([keys, from, to])}`,
      async load(company) {
        const found = await data.metricHistories(company, keys.filter(isMetricKey), { from, to });
        const histories = new Map(found.map((history) => [history.key, history]));
        return keys.map((key) => histories.get(key) ?? { key, values: [] });
      },
    };
  },
);

/** Returns all revisions in the given periods, sorted by period and revision. */
export const readMetricRevisions = createGatedRead(
  metricHistoryInput,
  ({ companyId, key, from = null, to = null }, data) => ({
    companyId,
    resource: 'metric_history',
    metricKey: key,
    part: `revisions ${JSON.stringify([from, to])}`,
    load: async (company) =>
      isMetricKey(key) ? data.metricRevisions(company, key, { from, to }) : [],
  }),
);

export const readSources = createGatedRead(companyInput, ({ companyId }, data) => ({
  companyId,
  resource: 'sources',
  async loadAt(company, now) {
    const { stale, sources } = sourcesAt(await data.sources(company), now);
    return { state: `${stale} stale`, data: sources };
  },
}));

export const readAccounts = createGatedRead(companyInput, ({ companyId }, data) => ({
  companyId,
  resource: 'accounts',
  load: (company) => data.accounts(company),
}));

/**
 * Refuses every caller, because reports are announced but don't exist yet.
 *
 * @throws AccessError `insufficient_scope` or `not_implemented`
 */
export const readReports =
  () =>
  (caller: InvestorCaller): never => {
    requireScope(caller, 'reports:read');
    throw new AccessError('not_implemented');
  };
