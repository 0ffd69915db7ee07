import type { StoppedSources } from '../../model/company-data/source.ts';
import type { Ports } from '../../ports/index.ts';

/** Counts them in all companies, for the operator. */
export const countStoppedSources =
  ({ companyData, clock }: Ports) =>
  (): Promise<StoppedSources> =>
    companyData.countStopped(clock.now());
