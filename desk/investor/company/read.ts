import {
  AccessError,
  type Account,
  loadData,
  type Metric,
  type MetricHistory,
  type Source,
} from '#core';
import type { InvestorContext, PageResult } from '../../context.ts';
import { companyPath } from '../paths.ts';
import type { OpenCompany } from './state.ts';

/** Only the files contain further metrics. */
export const maxPlots = 12;

const valuesOfPlot = 24;

/** A field is null if the company doesn't share that kind of data now. */
export interface SharedData {
  readonly figures: {
    readonly latest: readonly Metric[];
    readonly histories: readonly MetricHistory[];
  } | null;
  readonly sources: readonly Source[] | null;
  readonly accounts: readonly Account[] | null;
}

/** Each read checks the grant again. If the grant has ended meanwhile, omits that data. */
export async function readShared(
  { caller, useCases, charge }: InvestorContext,
  { company: { id: companyId, isAccessPaused }, approved }: OpenCompany,
): Promise<SharedData> {
  const { investor } = useCases;
  if (isAccessPaused) return { figures: null, sources: null, accounts: null };
  if (approved.length > 1) await charge(approved.length - 1);
  const [figures, sources, accounts] = await Promise.all([
    approved.includes('metrics:read')
      ? investor.readPortfolioFigures(caller, {
          companyIds: [companyId],
          metrics: maxPlots,
          values: valuesOfPlot,
        })
      : null,
    approved.includes('sources:read')
      ? orNull(investor.readSources(caller, { companyId }).then(loadData))
      : null,
    approved.includes('accounts:read')
      ? orNull(investor.readAccounts(caller, { companyId }).then(loadData))
      : null,
  ]);
  return { figures: figures?.companies.get(companyId) ?? null, sources, accounts };
}

const isTaken = (error: unknown): boolean =>
  error instanceof AccessError && error.code.startsWith('access_');

async function orNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (isTaken(error)) return null;
    throw error;
  }
}

/** If the company doesn't share the data, redirects to its page, which shows the state of the access request. */
export const readIfShared =
  (handle: (context: InvestorContext) => PageResult | Promise<PageResult>) =>
  async (context: InvestorContext): Promise<PageResult> => {
    try {
      return await handle(context);
    } catch (error) {
      if (isTaken(error)) return { to: companyPath(context.id) };
      throw error;
    }
  };
