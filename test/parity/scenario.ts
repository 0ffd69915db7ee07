import type { OperatorUseCases, ServiceUseCases } from '#core';
import type { Fixtures } from '../support/fixtures.ts';
import type { TestService } from '../support/service.ts';
import type { ProtocolDriver } from './drivers/driver.ts';
import type { StandIns } from './stand-ins.ts';

/** What a scenario is given: one protocol, and the operator's side of the service. */
export interface Given {
  readonly driver: ProtocolDriver;
  readonly fixtures: Fixtures;
  readonly operator: OperatorUseCases;
  readonly background: ServiceUseCases;
  readonly standIns: StandIns;
  /** How companies act, which have one protocol: answers are checked against the document of their API. */
  readonly asCompany: TestService['call'];
  /** Moves the clock of the whole service, which stands still from then on, until the scenario is over. */
  setClock(instant: Date): void;
}

/** What must come out alike in every protocol. */
export interface Scenario {
  readonly name: string;
  /** Others than the caller act, and the caller only looks: unless everything is tried, it looks by one protocol. */
  readonly isOfOthers?: true;
  run(given: Given): Promise<void>;
}

export interface Topic {
  readonly title: string;
  readonly scenarios: readonly Scenario[];
}
