import { z } from 'zod';
import type { Account } from '../../model/company-data/account.ts';
import type { Metric } from '../../model/company-data/metric.ts';
import { type Source, sourcesAt } from '../../model/company-data/source.ts';
import { grantableScopes } from '../../model/consent/scopes.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';

const previewScopeInput = z.strictObject({ scope: z.enum(grantableScopes) });

const shownAtMost = 5;

/** The first of what a scope lets an investor read now, in the order in which the investor gets it. */
export type ScopePreview =
  | (Part<Metric> & { readonly scope: 'metrics:read' })
  | (Part<Account> & { readonly scope: 'accounts:read' })
  | (Part<Source> & { readonly scope: 'sources:read' });

interface Part<Item> {
  readonly items: readonly Item[];
  /** How many there are in all. */
  readonly count: number;
}

/**
 * What an investor with the scope would see of the caller's company. Nothing is recorded, because no investor reads.
 *
 * @throws InputError
 */
export const previewScope =
  ({ companyData, settings, clock }: Ports) =>
  async (
    { companyId, environment }: CompanyCaller,
    input: z.input<typeof previewScopeInput>,
  ): Promise<ScopePreview> => {
    const { scope } = parseInput(previewScopeInput, input);
    const dataVersion = await companyData.version(companyId);
    const publicKeyUrl = settings.publicKeyUrl();
    const company = { companyId, environment, dataVersion, publicKeyUrl };
    switch (scope) {
      case 'metrics:read':
        return { scope, ...partOf(await companyData.latestMetrics(company)) };
      case 'accounts:read':
        return { scope, ...partOf(await companyData.accounts(company)) };
      case 'sources:read':
        return {
          scope,
          ...partOf(sourcesAt(await companyData.sources(company), clock.now()).sources),
        };
    }
  };

const partOf = <Item>(all: readonly Item[]): Part<Item> => ({
  items: all.slice(0, shownAtMost),
  count: all.length,
});
