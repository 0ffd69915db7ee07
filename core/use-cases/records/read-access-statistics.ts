import { z } from 'zod';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import type { Investor } from '../../model/identity/investor.ts';
import { InputError, instantInput, parseInput, scopeInput } from '../../model/input.ts';
import { isStorable } from '../../model/text.ts';
import { addDays, isExpressible } from '../../model/time.ts';
import type { Ports } from '../../ports/index.ts';
import type { Day, ReadCounts, ReadsOfDay } from '../../ports/statistics.ts';

export const maxStatisticsDays = 366;
const defaultDays = 30;
const maxSeries = 50;

const readAccessStatisticsInput = z.strictObject({
  since: instantInput.nullish(),
  until: instantInput.nullish(),
  investorId: z.string().nullish(),
  scope: scopeInput.nullish(),
});

/** The total counts, and the counts of each date with reads, oldest first. */
export interface ReadSeries extends ReadCounts {
  readonly days: readonly ReadsOfDay[];
}

export interface ReadStatistics {
  /** `firstDay` and `lastDay` are UTC dates. Both are included. */
  readonly firstDay: Day;
  readonly lastDay: Day;
  readonly total: ReadSeries;
  /** Sorted by number of reads, largest first. `otherInvestors` counts the reads of all other investors. */
  readonly investors: readonly (ReadSeries & {
    readonly investor: Pick<Investor, 'id' | 'name'>;
  })[];
  readonly otherInvestors: ReadSeries | null;
  /** If the key is null, the reads aren't about a single metric. */
  readonly metrics: readonly (ReadSeries & { readonly metricKey: string | null })[];
  readonly otherMetrics: ReadSeries | null;
}

/**
 * Counts the allowed and refused reads of the company's data by date, investor and metric. The range includes the whole
 * UTC dates of `since` and `until`. Default: the last thirty days.
 *
 * @throws InputError, also for more than 366 days
 */
export const readAccessStatistics =
  ({ accessStatistics, clock }: Ports) =>
  async (
    { companyId, environment }: CompanyCaller,
    input: z.input<typeof readAccessStatisticsInput> = {},
  ): Promise<ReadStatistics> => {
    const { investorId, scope, ...range } = parseInput(readAccessStatisticsInput, input);
    const until = range.until ?? clock.now();
    const since = range.since ?? addDays(until, 1 - defaultDays);
    const [firstDay, lastDay] = [dayOf(since), dayOf(until)];
    if (!isExpressible(since) || daysBetween(firstDay, lastDay) >= maxStatisticsDays) {
      throw new InputError('invalid_parameter', 'since');
    }
    const isUnknownInvestor = investorId != null && !isStorable(investorId);
    const { byInvestor, byMetric } = isUnknownInvestor
      ? { byInvestor: [], byMetric: [] }
      : await accessStatistics.countReads({
          companyId,
          environment,
          firstDay,
          lastDay,
          investorId: investorId ?? undefined,
          scope: scope ?? undefined,
          most: maxSeries,
        });
    const investors = groupByName(byInvestor, ({ investor }) => investor?.id);
    const metrics = groupByName(byMetric, ({ metric }) => metric && (metric.key ?? ''));
    return {
      firstDay,
      lastDay,
      total: toSeries(byInvestor),
      investors: investors.flatMap(({ first: { investor }, series }) =>
        investor === null ? [] : [{ investor, ...series }],
      ),
      otherInvestors: investors.find(({ first }) => first.investor === null)?.series ?? null,
      metrics: metrics.flatMap(({ first: { metric }, series }) =>
        metric === null ? [] : [{ metricKey: metric.key, ...series }],
      ),
      otherMetrics: metrics.find(({ first }) => first.metric === null)?.series ?? null,
    };
  };

const dayOf = (instant: Date): Day => instant.toISOString().slice(0, 10);

const daysBetween = (first: Day, last: Day): number =>
  (new Date(last).getTime() - new Date(first).getTime()) / 86_400_000;

function groupByName<Row extends ReadsOfDay>(
  rows: readonly Row[],
  nameOf: (row: Row) => string | null | undefined,
): { readonly first: Row; readonly series: ReadSeries }[] {
  return [...Map.groupBy(rows, nameOf)]
    .map(([name, group]) => ({ name, first: group[0] as Row, series: toSeries(group) }))
    .toSorted(
      (a, b) => sum(b.series) - sum(a.series) || (String(a.name) < String(b.name) ? -1 : 1),
    );
}

const sum = ({ allowed, refused }: ReadCounts): number => allowed + refused;

function toSeries(rows: readonly ReadsOfDay[]): ReadSeries {
  const days = [...Map.groupBy(rows, ({ day }) => day)]
    .map(([day, ofDay]) => ({ day, ...add(ofDay) }))
    .toSorted((a, b) => daysBetween(b.day, a.day));
  return { ...add(days), days };
}

function add(counts: readonly ReadCounts[]): ReadCounts {
  return {
    allowed: counts.reduce((total, { allowed }) => total + allowed, 0),
    refused: counts.reduce((total, { refused }) => total + refused, 0),
  };
}
