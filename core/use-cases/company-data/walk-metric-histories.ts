import { z } from 'zod';
import type { Metric } from '../../model/company-data/metric.ts';
import { type CompanyRefusalCode, refusesCompanyAlone } from '../../model/consent/access-policy.ts';
import { AccessError } from '../../model/errors.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';
import {
  type Encode,
  encodeAt,
  loadData,
  openThroughGate,
  requireAccessStill,
} from '../consent/gate.ts';
import { historyOf, maxHistoryKeys, periodInput } from './read-company-data.ts';

/** How many companies' histories can be read at once. */
export const maxHistoryCompanies = 50;

const metricHistoriesInput = z.strictObject({
  companyIds: z.array(z.string().min(1)).min(1).max(maxHistoryCompanies),
  keys: z.array(z.string().min(1)).min(1).max(maxHistoryKeys),
  from: periodInput.nullish(),
  to: periodInput.nullish(),
});

export type WalkMetricHistoriesInput = z.input<typeof metricHistoriesInput>;

/** A company that refuses: the codes about the key end the walk. */
interface CompanyRefusal {
  readonly companyId: string;
  readonly code: CompanyRefusalCode;
}

type Walked<Encoded> = { readonly history: Encoded } | { readonly refusal: CompanyRefusal };

/** A reader who takes longer than this over a history is asked again what it may read. */
const decisionMilliseconds = 1_000;

/**
 * The histories of some metrics of several companies, in the order in which they are named: one read of each company, and
 * one record. Each history is read when it is asked for, so that no more than one is in memory.
 *
 * @throws InputError, and AccessError `invalid_api_key`; `insufficient_scope` after each company was asked for
 */
export const walkMetricHistories = (ports: Ports) =>
  async function* <Encoded = readonly Metric[]>(
    caller: InvestorCaller,
    input: WalkMetricHistoriesInput,
    encode: Encode<readonly Metric[], Encoded> = loadData,
  ): AsyncGenerator<Walked<Encoded>, undefined> {
    const { from, to, ...asked } = parseInput(metricHistoriesInput, input);
    const keys = [...new Set(asked.keys)];
    let lack: AccessError | null = null;
    for (const companyId of new Set(asked.companyIds)) {
      try {
        for await (const history of walkCompany(companyId)) yield { history };
      } catch (error) {
        if (!(error instanceof AccessError)) throw error;
        if (error.code === 'insufficient_scope') lack = error;
        else if (refusesCompanyAlone(error.code))
          yield { refusal: { companyId, code: error.code } };
        else throw error;
      }
    }
    if (lack !== null) throw lack;

    async function* walkCompany(companyId: string): AsyncGenerator<Encoded, undefined> {
      const read = { companyId, resource: 'metric_history' } as const;
      const company = await openThroughGate(ports, caller, read);
      let decidedAt = ports.clock.now();
      for (const key of keys) {
        if (ports.clock.now().getTime() - decidedAt.getTime() > decisionMilliseconds) {
          await requireAccessStill(ports, caller, read);
          decidedAt = ports.clock.now();
        }
        const history = historyOf({ companyId, key, from, to }, ports.companyData);
        yield await encodeAt(history, company, decidedAt, encode);
      }
    }
  };
