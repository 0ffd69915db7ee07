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

/** Every metric of a company that has more is in its files. */
export const maxPlots = 12;

const valuesOfPlot = 24;

/** What a company lets an investor read; null: not that, at this moment. */
export interface SharedData {
  readonly figures: {
    readonly latest: readonly Metric[];
    readonly histories: readonly MetricHistory[];
  } | null;
  readonly sources: readonly Source[] | null;
  readonly accounts: readonly Account[] | null;
}

/** Reads each part that the grant names, each through the gate; what is taken back meanwhile is not there. */
export async function readShared(
  { caller, useCases, charge }: InvestorContext,
  { company: { id: companyId }, approved }: OpenCompany,
): Promise<SharedData> {
  const { investor } = useCases;
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

/** For what shows one part of the data alone: when that is not shared, the page of the company says so. */
export const whileShared =
  (handle: (context: InvestorContext) => Promise<PageResult>) =>
  async (context: InvestorContext): Promise<PageResult> => {
    try {
      return await handle(context);
    } catch (error) {
      if (isTaken(error)) return { to: companyPath(context.id) };
      throw error;
    }
  };
