import type { InvestorUseCases, OperatorUseCases } from '#core';
import type { GivenIds } from './ids.ts';

/** What the demo is set up with. */
export interface UseCases {
  readonly investorUseCases: InvestorUseCases;
  readonly operatorUseCases: OperatorUseCases;
  /** The same, with which what is made gets the ids that are given. */
  withIds(ids: GivenIds): Pick<UseCases, 'investorUseCases' | 'operatorUseCases'>;
}
