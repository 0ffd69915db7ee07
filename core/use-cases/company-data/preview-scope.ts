import { z } from 'zod';
import type { Account } from '../../model/company-data/account.ts';
import type { Metric, MetricHistory } from '../../model/company-data/metric.ts';
import { type Source, sourcesAt } from '../../model/company-data/source.ts';
import { grantableScopes } from '../../model/consent/scopes.ts';
import { fillTerms, namedTerms, termsInput } from '../../model/consent/terms.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import { addDays } from '../../model/time.ts';
import type { VersionedCompany } from '../../ports/company-data.ts';
import type { Ports } from '../../ports/index.ts';
import { maxHistoryKeys } from './read-company-data.ts';
import { openOwnData } from './read-own-data.ts';

const previewScopeInput = z.strictObject({
  scope: z.enum(grantableScopes),
  terms: termsInput.nullish(),
});

/** The maximum number of listed items. The page also shows the total. */
const shownAtMost = 200;

const daysOfHistory = 2 * 365;

export type ScopePreview =
  | (Part<Metric> & {
      readonly scope: 'metrics:read';
      readonly histories: readonly MetricHistory[];
    })
  | (Part<Account> & { readonly scope: 'accounts:read' })
  | (Part<Source> & { readonly scope: 'sources:read' });

interface Part<Item> {
  readonly items: readonly Item[];
  readonly count: number;
}

/** Returns the data that an investor would see with this scope and these terms. Writes no access record. */
export const previewScope =
  (ports: Ports) =>
  async (
    caller: CompanyCaller,
    input: z.input<typeof previewScopeInput>,
  ): Promise<ScopePreview> => {
    const { scope, terms } = parseInput(previewScopeInput, input);
    const { companyData, clock } = ports;
    const own = await openOwnData(ports, caller);
    const company = { ...own, terms: fillTerms(namedTerms(terms), null) };
    switch (scope) {
      case 'metrics:read':
        return { scope, ...(await metricsOf(companyData, company, clock.now())) };
      case 'accounts:read':
        return { scope, ...partOf(await companyData.accounts(company)) };
      case 'sources:read':
        return {
          scope,
          ...partOf(sourcesAt(await companyData.sources(company), clock.now()).sources),
        };
    }
  };

async function metricsOf(
  companyData: Ports['companyData'],
  company: VersionedCompany,
  now: Date,
): Promise<Part<Metric> & { readonly histories: readonly MetricHistory[] }> {
  const metrics = partOf(await companyData.latestMetrics(company));
  const keys = metrics.items.slice(0, maxHistoryKeys).map(({ key }) => key);
  const from = addDays(now, -daysOfHistory).toISOString().slice(0, 10);
  const histories = await companyData.metricHistories(company, keys, { from, to: null });
  return { ...metrics, histories };
}

const partOf = <Item>(all: readonly Item[]): Part<Item> => ({
  items: all.slice(0, shownAtMost),
  count: all.length,
});
