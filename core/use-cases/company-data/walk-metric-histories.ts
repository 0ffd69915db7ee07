import { z } from 'zod';
import type { Metric } from '../../model/company-data/metric.ts';
import { type CompanyRefusalCode, refusesCompanyAlone } from '../../model/consent/access-policy.ts';
import { AccessError } from '../../model/errors.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import { passGate, requireAccessStill } from '../consent/gate.ts';
import { historyOf, maxHistoryKeys, periodInput } from './read-company-data.ts';
import { createReading, type Reading } from './reading.ts';

export const maxHistoryCompanies = 50;

const metricHistoriesInput = z.strictObject({
  companyIds: z.array(z.string().min(1)).min(1).max(maxHistoryCompanies),
  keys: z.array(z.string().min(1)).min(1).max(maxHistoryKeys),
  from: periodInput.nullish(),
  to: periodInput.nullish(),
});

export type WalkMetricHistoriesInput = z.input<typeof metricHistoriesInput>;

/** A refusal that concerns only one company. A refusal of the key stops the whole read. */
interface CompanyRefusal {
  readonly companyId: string;
  readonly code: CompanyRefusalCode;
}

type Walked =
  | { readonly history: Reading<readonly Metric[]> }
  | { readonly refusal: CompanyRefusal };

/** After this time, access is checked again before the next history is read. */
const decisionMilliseconds = 1_000;

/**
 * Yields the histories of some metrics of several companies, in the requested order. Each company gets one access
 * record. The caller loads each history, so only one history is in memory.
 *
 * @throws AccessError `invalid_api_key`; `insufficient_scope` after all companies were tried
 */
export const walkMetricHistories = (ports: Ports) =>
  async function* (
    caller: InvestorCaller,
    input: WalkMetricHistoriesInput,
  ): AsyncGenerator<Walked, undefined> {
    const { from, to, ...selection } = parseInput(metricHistoriesInput, input);
    const keys = [...new Set(selection.keys)];
    let missingScope: AccessError | null = null;
    for (const companyId of new Set(selection.companyIds)) {
      try {
        for await (const history of walkCompany(companyId)) yield { history };
      } catch (error) {
        if (!(error instanceof AccessError)) throw error;
        if (error.code === 'insufficient_scope') missingScope = error;
        else if (refusesCompanyAlone(error.code))
          yield { refusal: { companyId, code: error.code } };
        else throw error;
      }
    }
    if (missingScope !== null) throw missingScope;

    async function* walkCompany(
      companyId: string,
    ): AsyncGenerator<Reading<readonly Metric[]>, undefined> {
      const read = { companyId, resource: 'metric_history' } as const;
      const allowed = await passGate(ports, caller, read);
      await allowed.whenRecorded;
      let { company, decidedAt } = allowed;
      for (const key of keys) {
        if (ports.clock.now().getTime() - decidedAt.getTime() > decisionMilliseconds) {
          company = { ...company, terms: await requireAccessStill(ports, caller, read) };
          decidedAt = ports.clock.now();
        }
        const history = historyOf({ companyId, key, from, to }, ports.companyData);
        yield await createReading(history, { ...allowed, company, decidedAt });
      }
    }
  };
