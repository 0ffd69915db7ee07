import type { OperatorUseCases, ServiceUseCases } from '#core';
import type { Fixtures } from '../support/fixtures.ts';
import type { TestService } from '../support/service.ts';
import type { ProtocolDriver } from './drivers/driver.ts';
import type { StandIns } from './stand-ins.ts';

/** A driver for one protocol, and the operator's access to the service. */
export interface Given {
  readonly driver: ProtocolDriver;
  readonly fixtures: Fixtures;
  readonly operator: OperatorUseCases;
  readonly background: ServiceUseCases;
  readonly standIns: StandIns;
  /** Exists only in REST. The answers are checked against its OpenAPI document. */
  readonly asCompany: TestService['call'];
  /** Fixes the clock of the whole service until the scenario ends. */
  setClock(instant: Date): void;
}

/** The result must be the same in every protocol. */
export interface Scenario {
  readonly name: string;
  run(given: Given): Promise<void>;
}

export interface Topic {
  readonly title: string;
  readonly scenarios: readonly Scenario[];
}
