import { z } from 'zod';
import { isMetricKey, type Metric, type MetricHistory } from '../../model/company-data/metric.ts';
import { type CompanyRefusalCode, refusesCompanyAlone } from '../../model/consent/access-policy.ts';
import { AccessError } from '../../model/errors.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { openThroughGate } from '../consent/gate.ts';
import { maxHistoryKeys } from './read-company-data.ts';

/** How many companies' figures can be read at once: a page of a portfolio. */
const maxFigureCompanies = 50;

/** Of each metric; more than a year of daily values. */
export const maxFigureValues = 400;

const key = z.string();

const portfolioFiguresInput = z.strictObject({
  companyIds: z.array(z.string()).max(maxFigureCompanies),
  /** The metrics whose values are wanted; else the first of all that there are. */
  keys: z.array(key).max(maxHistoryKeys).nullish(),
  /** How many metrics have their values read when none is named. */
  metrics: z.int().min(1).max(maxHistoryKeys),
  /** How many values of each metric, the newest ones. */
  values: z.int().min(1).max(maxFigureValues),
});

export type PortfolioFiguresInput = z.input<typeof portfolioFiguresInput>;

/** What is shown of a company whose figures may be read. */
export interface CompanyFigures {
  /** The latest value of every metric, by key. */
  readonly latest: readonly Metric[];
  /** The newest values of the chosen metrics, in their order. */
  readonly histories: readonly MetricHistory[];
}

export interface PortfolioFigures {
  /** Every metric that one of the companies has: first those that most of them have. */
  readonly metrics: readonly Pick<Metric, 'key' | 'label'>[];
  /** The metrics whose values were read. */
  readonly keys: readonly string[];
  /** By the company's id. */
  readonly companies: ReadonlyMap<string, CompanyFigures>;
  /** Why each of the others may not be read. */
  readonly refusals: ReadonlyMap<string, CompanyRefusalCode>;
}

/**
 * The latest figures of several companies, and the newest values of a few metrics: one read of each company, and one
 * record. It takes as many statements for any number of companies.
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
        // What is no matter of this one company refuses all.
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

/** The keys that the contract names come before others that as many companies have. */
const namedKeys = ['cash_balance', 'burn_rate', 'headcount'];

/** Each has the name that the first company gives it. */
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
