import type { OperatorUseCases, ServiceUseCases } from '#core';
import type { Fixtures } from '../support/fixtures.ts';
import type { TestService } from '../support/service.ts';
import type { ProtocolDriver } from './drivers/driver.ts';
import type { StandIns } from './stand-ins.ts';

/** The input of a scenario: one protocol, and the operator's side of the service. */
export interface Given {
  readonly driver: ProtocolDriver;
  readonly fixtures: Fixtures;
  readonly operator: OperatorUseCases;
  readonly background: ServiceUseCases;
  readonly standIns: StandIns;
  /** Calls the API for companies, which has one protocol. Checks answers against the document of that API. */
  readonly asCompany: TestService['call'];
  /** Stops the clock of the whole service at this time until the end of the scenario. */
  setClock(instant: Date): void;
}

/** A test whose result must be the same in every protocol. */
export interface Scenario {
  readonly name: string;
  run(given: Given): Promise<void>;
}

export interface Topic {
  readonly title: string;
  readonly scenarios: readonly Scenario[];
}
