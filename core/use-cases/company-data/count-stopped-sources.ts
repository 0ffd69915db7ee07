import type { StoppedSources } from '../../model/company-data/source.ts';
import type { Ports } from '../../ports/index.ts';

/** For the operator, who looks after all companies. */
export const countStoppedSources =
  ({ companyData, clock }: Ports) =>
  (): Promise<StoppedSources> =>
    companyData.countStopped(clock.now());
