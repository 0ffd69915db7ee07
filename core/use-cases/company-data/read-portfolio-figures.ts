import { z } from 'zod';
import { isMetricKey, type Metric, type MetricHistory } from '../../model/company-data/metric.ts';
import { type CompanyRefusalCode, refusesCompanyAlone } from '../../model/consent/access-policy.ts';
import { AccessError } from '../../model/errors.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { CompanyData, VersionedCompany } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { passGate } from '../consent/gate.ts';
import { maxHistoryKeys, periodInput } from './read-company-data.ts';

/** The maximum number of companies in a call. Each company costs the caller one point. */
export const maxFigureCompanies = 10_000;

/**
 * The database serves the reads of all callers in shared batches, so one call reads only this many companies at a time.
 */
const companiesAtOnce = 100;

/** The maximum number of values per metric. It is enough for more than a year of daily values. */
export const maxFigureValues = 401;

const key = z.string();

const portfolioFiguresInput = z.strictObject({
  companyIds: z.array(z.string()).max(maxFigureCompanies),
  /** Sorts by a metric or by the time of the last delivery. Without it, the companies keep their order. */
  order: z
    .strictObject({
      by: z.union([z.literal('delivered'), z.strictObject({ metric: key })]),
      descending: z.boolean(),
    })
    .nullish(),
  /** The range of the sorted companies whose figures are returned. Default: all companies. */
  part: z.strictObject({ offset: z.int().min(0), count: z.int().min(0) }).nullish(),
  /** The metrics to read. Without keys, the most common metrics are read. */
  keys: z.array(key).max(maxHistoryKeys).nullish(),
  /** The number of metrics to read if no keys are given. */
  metrics: z.int().min(1).max(maxHistoryKeys),
  /** The number of newest values to read for each metric. */
  values: z.int().min(1).max(maxFigureValues),
  from: periodInput.nullish(),
  to: periodInput.nullish(),
});

export type PortfolioFiguresInput = z.input<typeof portfolioFiguresInput>;

export interface CompanyFigures {
  readonly latest: readonly Metric[];
  /** The newest values of the chosen metrics, in the order of the metrics. */
  readonly histories: readonly MetricHistory[];
}

export interface PortfolioFigures {
  /** All metrics of the companies, the most common first. */
  readonly metrics: readonly Pick<Metric, 'key' | 'label'>[];
  readonly keys: readonly string[];
  /** The companies that can be read, sorted. Companies without the figure come last. */
  readonly order: readonly string[];
  readonly companies: ReadonlyMap<string, CompanyFigures>;
  readonly refusals: ReadonlyMap<string, CompanyRefusalCode>;
}

/**
 * Returns the latest figures of several companies, and the newest values of a few metrics. Each company gets one access
 * record, even if its figure is used only for sorting.
 *
 * @throws AccessError `invalid_api_key`, `insufficient_scope`
 */
export const readPortfolioFigures =
  (ports: Ports) =>
  async (caller: InvestorCaller, input: PortfolioFiguresInput): Promise<PortfolioFigures> => {
    const { companyIds, order, part, values, ...selection } = parseInput(
      portfolioFiguresInput,
      input,
    );
    const { companyData } = ports;
    const refusals = new Map<string, CompanyRefusalCode>();
    const opened = await mapInChunks([...new Set(companyIds)], async (companyId) => {
      try {
        const read = { companyId, resource: 'metric_history' } as const;
        const { company, whenRecorded } = await passGate(ports, caller, read);
        await whenRecorded;
        return company;
      } catch (error) {
        // If the refusal concerns the key and not only this company, the whole call fails.
        if (!(error instanceof AccessError && refusesCompanyAlone(error.code))) throw error;
        refusals.set(companyId, error.code);
        return null;
      }
    });
    const allowed = opened.filter((company) => company !== null);
    const sorted = order == null ? allowed : await sortCompanies(companyData, allowed, order);
    const shown = part == null ? sorted : sorted.slice(part.offset, part.offset + part.count);
    const read = await mapInChunks(shown, async (company) => ({
      company,
      latest: await companyData.latestMetrics(company),
    }));
    const metrics = listMetrics(read.flatMap(({ latest }) => latest));
    const chosen =
      selection.keys?.filter(isMetricKey) ??
      metrics.slice(0, selection.metrics).map(({ key }) => key);
    const keys = [...new Set(chosen)];
    const periods = { from: selection.from ?? null, to: selection.to ?? null };
    const companies = await mapInChunks(
      read,
      async ({ company, latest }): Promise<[string, CompanyFigures]> => {
        const histories = await companyData.recentValues(company, keys, values, periods);
        return [company.companyId, { latest, histories }];
      },
    );
    return {
      metrics,
      keys,
      order: sorted.map(({ companyId }) => companyId),
      companies: new Map(companies),
      refusals,
    };
  };

async function mapInChunks<Item, Made>(
  items: readonly Item[],
  work: (item: Item) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  for (let start = 0; start < items.length; start += companiesAtOnce) {
    const chunk = items.slice(start, start + companiesAtOnce);
    made.push(...(await Promise.all(chunk.map(work))));
  }
  return made;
}

type Order = NonNullable<z.output<typeof portfolioFiguresInput>['order']>;

/** Amounts of two currencies can't be compared, so each currency is a group. */
interface RankKey {
  readonly group: string;
  readonly value: number;
}

async function sortCompanies(
  companyData: CompanyData,
  companies: readonly VersionedCompany[],
  { by, descending }: Order,
): Promise<VersionedCompany[]> {
  const rankKeyOf = (latest: readonly Metric[]): RankKey | null => {
    if (by === 'delivered') {
      const times = latest.map(({ source }) => source.lastSynced.getTime());
      return times.length === 0 ? null : { group: '', value: Math.max(...times) };
    }
    const metric = latest.find(({ key }) => key === by.metric);
    return metric === undefined
      ? null
      : { group: metric.currency ?? '', value: Number(metric.rawValue) };
  };
  const ranked = await mapInChunks(companies, async (company) => ({
    company,
    rankKey: rankKeyOf(await companyData.latestMetrics(company)),
  }));
  const direction = descending ? -1 : 1;
  const compare = (one: RankKey | null, other: RankKey | null): number => {
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    if (one.group !== other.group) return one.group < other.group ? -1 : 1;
    return direction * (one.value - other.value);
  };
  return ranked
    .toSorted((one, other) => compare(one.rankKey, other.rankKey))
    .map(({ company }) => company);
}

/** Among equally common metrics, these come first, because the API description names them. */
const namedKeys = ['cash_balance', 'burn_rate', 'headcount'];

function listMetrics(latest: readonly Metric[]): Pick<Metric, 'key' | 'label'>[] {
  const counted = new Map<string, { key: string; label: string; count: number }>();
  for (const { key, label } of latest) {
    const counter = counted.get(key) ?? { key, label, count: 0 };
    counter.count += 1;
    counted.set(key, counter);
  }
  const rank = (key: string) => namedKeys.indexOf(key) + 1 || namedKeys.length + 1;
  return [...counted.values()]
    .toSorted(
      (one, other) =>
        other.count - one.count ||
        rank(one.key) - rank(other.key) ||
        (one.key < other.key ? -1 : 1),
    )
    .map(({ key, label }) => ({ key, label }));
}
