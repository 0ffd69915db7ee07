import { z } from 'zod';
import { isMetricKey, type Metric, type MetricHistory } from '../../model/company-data/metric.ts';
import { type CompanyRefusalCode, refusesCompanyAlone } from '../../model/consent/access-policy.ts';
import { AccessError } from '../../model/errors.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { openThroughGate } from '../consent/gate.ts';
import { maxHistoryKeys } from './read-company-data.ts';

/** The number of companies that a call can read: one page of a portfolio. */
const maxFigureCompanies = 50;

/** Per metric: more than a year of daily values. */
export const maxFigureValues = 400;

const key = z.string();

const portfolioFiguresInput = z.strictObject({
  companyIds: z.array(z.string()).max(maxFigureCompanies),
  /** The metrics to read. Without keys, the first of all metrics. */
  keys: z.array(key).max(maxHistoryKeys).nullish(),
  /** The number of metrics to read if no keys are given. */
  metrics: z.int().min(1).max(maxHistoryKeys),
  /** The number of newest values to read for each metric. */
  values: z.int().min(1).max(maxFigureValues),
});

export type PortfolioFiguresInput = z.input<typeof portfolioFiguresInput>;

/** The figures of a company that the caller may read. */
export interface CompanyFigures {
  /** The latest value of every metric, by key. */
  readonly latest: readonly Metric[];
  /** The newest values of the chosen metrics, in their order. */
  readonly histories: readonly MetricHistory[];
}

export interface PortfolioFigures {
  /** The metrics of all companies, those that most companies have first. */
  readonly metrics: readonly Pick<Metric, 'key' | 'label'>[];
  /** The metrics whose values were read. */
  readonly keys: readonly string[];
  /** The figures by company ID. */
  readonly companies: ReadonlyMap<string, CompanyFigures>;
  /** The refusals of the other companies. */
  readonly refusals: ReadonlyMap<string, CompanyRefusalCode>;
}

/**
 * Returns the latest figures of several companies, and the newest values of a few metrics. Each company is one read
 * with
 * one access record. The number of statements doesn't depend on the number of companies.
 *
 * @throws InputError, and AccessError `invalid_api_key`, `insufficient_scope`
 */
export const readPortfolioFigures =
  (ports: Ports) =>
  async (caller: InvestorCaller, input: PortfolioFiguresInput): Promise<PortfolioFigures> => {
    const { companyIds, values, ...asked } = parseInput(portfolioFiguresInput, input);
    const { companyData } = ports;
    const refusals = new Map<string, CompanyRefusalCode>();
    const asks = Array.from(new Set(companyIds), async (companyId) => {
      try {
        return await openThroughGate(ports, caller, { companyId, resource: 'metric_history' });
      } catch (error) {
        // A refusal that doesn't concern only this company refuses the call.
        if (!(error instanceof AccessError && refusesCompanyAlone(error.code))) throw error;
        refusals.set(companyId, error.code);
        return null;
      }
    });
    const allowed = (await Promise.all(asks)).filter((company) => company !== null);
    const read = await Promise.all(
      allowed.map(async (company) => ({
        company,
        latest: await companyData.latestMetrics(company),
      })),
    );
    const metrics = listMetrics(read.flatMap(({ latest }) => latest));
    const chosen =
      asked.keys?.filter(isMetricKey) ?? metrics.slice(0, asked.metrics).map(({ key }) => key);
    const keys = [...new Set(chosen)];
    const companies = await Promise.all(
      read.map(async ({ company, latest }): Promise<[string, CompanyFigures]> => {
        const histories = await companyData.recentValues(company, keys, values);
        return [company.companyId, { latest, histories }];
      }),
    );
    return { metrics, keys, companies: new Map(companies), refusals };
  };

/** Sorted before other metrics of equally many companies, because the contract names them. */
const namedKeys = ['cash_balance', 'burn_rate', 'headcount'];

/** A metric gets the name that the first company uses. */
function listMetrics(latest: readonly Metric[]): Pick<Metric, 'key' | 'label'>[] {
  const counted = new Map<string, { key: string; label: string; count: number }>();
  for (const { key, label } of latest) {
    const known = counted.get(key) ?? { key, label, count: 0 };
    known.count += 1;
    counted.set(key, known);
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
